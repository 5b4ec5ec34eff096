/** Bundles the extension, and the licences of what is bundled with it. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import * as path from "node:path";

import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

const folders = new Set(
  Object.keys(metafile.inputs)
    .map((file) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
    .filter((folder) => folder !== undefined),
);
const notices = await Promise.all([...folders].sort().map(notice));
await writeFile("dist/ThirdPartyNotices.txt", notices.join(`\n${"-".repeat(80)}\n\n`));

async function notice(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) {
    throw new Error(`${name} has no licence file`);
  }
  return `${name} ${version} (${license})\n\n${await readFile(path.join(folder, file), "utf8")}`;
}
