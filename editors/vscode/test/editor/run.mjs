/** Runs suite.ts in a real VS Code with the program named in ROOFSTAT, else the one that the extension finds. */

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";

import { EXTENSION, withVSCode } from "./vscode.mjs";

const LIMIT_MS = 300_000;

const folder = await mkdtemp(path.join(tmpdir(), "roofstat-workspace-"));
await cp(path.join(EXTENSION, "test", "editor", "workspace"), folder, { recursive: true });
const program = process.env.ROOFSTAT;
let code = 1;
try {
  await withVSCode(
    folder,
    {
      tests: path.join(EXTENSION, "dist", "test", "editor", "suite.js"),
      // In a browser VS Code would save after a second, and with that test less.
      settings: { "files.autoSave": "off", ...(program === undefined ? {} : { "roofstat.path": program }) },
    },
    async (page, tested) => {
      let complaint = false;
      page.getByText(/roofstat\.path names a program that does not serve: .*no such program/).first()
        .waitFor({ timeout: LIMIT_MS })
        .then(() => (complaint = true), () => undefined);
      const late = new Promise((resolve) => setTimeout(resolve, LIMIT_MS, 1).unref());
      code = await Promise.race([tested, late]);
      if (code === 0 && !complaint) {
        console.log("not ok - a path that names no program is complained of");
        code = 1;
      }
      if (code !== 0 && process.env.SCREENSHOT !== undefined) {
        await page.screenshot({ path: process.env.SCREENSHOT });
      }
    },
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(code);
