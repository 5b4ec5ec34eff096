import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";

import { candidates, findProgram } from "../src/program";

const NOWHERE = { configured: "", interpreter: undefined, folders: [] };
let folder: string;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "roofstat-program-"));
});

after(() => rm(folder, { recursive: true }));

async function script(name: string, body: string): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
  return file;
}

test("without anything else the search path is looked at", () => {
  assert.deepEqual(candidates(NOWHERE), [{ command: "roofstat", args: [] }]);
});

test("a configured path is the only candidate", () => {
  const found = candidates({ configured: " /opt/roofstat ", interpreter: "/usr/bin/python3", folders: [folder] });
  assert.deepEqual(found, [{ command: "/opt/roofstat", args: [] }]);
});

test("a home directory and the workspace folder are filled in; a relative path starts at the folder", () => {
  const of = (configured: string) => candidates({ ...NOWHERE, configured, folders: ["/w"] })[0]?.command;
  assert.equal(of("~/bin/roofstat"), path.join(homedir(), "bin", "roofstat"));
  assert.equal(of("${workspaceFolder}/env/bin/roofstat"), "/w/env/bin/roofstat");
  assert.equal(of("env/bin/roofstat"), "/w/env/bin/roofstat");
  assert.equal(of("roofstat"), "roofstat");
});

test("the chosen interpreter goes before environments of the folders, once each", async () => {
  const python = await script(".venv/bin/python", "exit 0");
  const found = candidates({ ...NOWHERE, interpreter: "/usr/bin/python3", folders: [folder] });
  assert.deepEqual(
    found.map(({ command }) => command),
    ["/usr/bin/python3", python, "roofstat"],
  );
  assert.deepEqual(found[0]?.args, ["-m", "roofstat"]);
  const same = candidates({ ...NOWHERE, interpreter: python, folders: [folder] });
  assert.deepEqual(
    same.map(({ command }) => command),
    [python, "roofstat"],
  );
});

test("the first program that serves is taken, and the reasons against the others are kept", async () => {
  const interpreter = await script("other/python", 'echo "No module named roofstat" >&2; exit 1');
  const python = await script(".venv/bin/python", '[ "$*" = "-m roofstat lsp --help" ]');
  const found = await findProgram({ ...NOWHERE, interpreter, folders: [folder] });
  assert.deepEqual(found, {
    program: { command: python, args: ["-m", "roofstat"] },
    failures: [`${interpreter} -m roofstat: No module named roofstat`],
  });
});

test("a program that is not there, or says nothing, is reported as such", async () => {
  const absent = path.join(folder, "absent");
  const none = await findProgram({ ...NOWHERE, configured: absent });
  assert.deepEqual(none, { program: undefined, failures: [`${absent}: there is no such program`] });
  const silent = await script("silent", "exit 3");
  const wrong = await findProgram({ ...NOWHERE, configured: silent });
  assert.deepEqual(wrong.failures, [`${silent}: it ended with 3`]);
});
