/** A real VS Code on this machine: its server, and its window in a headless Chromium. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const VSCODE = path.join(HERE, "node_modules", "code-server", "lib", "vscode");
const START_LIMIT_MS = 120_000;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export const EXTENSION = path.dirname(path.dirname(HERE));

/**
 * Opens a folder in VS Code with this extension and hands the page to `use`.
 *
 * @param {string} folder
 * @param {{tests?: string, settings?: object, size?: {width: number, height: number}}} options
 *   `tests` is a module whose `run` the extension host calls; what it ends with is `page.tested`.
 * @param {(page: import("playwright-core").Page, tested: Promise<number>) => Promise<void>} use
 */
export async function withVSCode(folder, { tests, settings = {}, size = { width: 1280, height: 800 } }, use) {
  const home = await mkdtemp(path.join(tmpdir(), "roofstat-vscode-"));
  const port = await freePort();
  const server = await startServer(home, port, settings);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage({ viewport: size, deviceScaleFactor: 1 });
    let end;
    const tested = new Promise((resolve) => (end = resolve));
    await page.exposeFunction("codeAutomationExit", (code) => end(code));
    await page.exposeFunction("codeAutomationLog", (_kind, args) => {
      const text = args.join(" ");
      if (/^(not )?ok - /.test(text)) {
        console.log(text);
      }
    });
    await page.goto(address(port, folder, tests));
    await use(page, tested);
  } finally {
    await browser.close();
    server.kill();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function address(port, folder, tests) {
  const remote = (file) => `vscode-remote://127.0.0.1:${port}${file}`;
  const payload = [
    ["extensionDevelopmentPath", remote(EXTENSION)],
    ...(tests === undefined ? [] : [["extensionTestsPath", remote(tests)]]),
  ];
  const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
  return `http://127.0.0.1:${port}/?${query}`;
}

async function startServer(home, port, settings) {
  const machine = path.join(home, "data", "Machine");
  await mkdir(machine, { recursive: true });
  await writeFile(path.join(machine, "settings.json"), JSON.stringify(settings));
  const server = spawn(
    process.execPath,
    [
      path.join(VSCODE, "out", "server-main.js"),
      ...["--host", "127.0.0.1", "--port", String(port), "--without-connection-token"],
      ...["--accept-server-license-terms", "--disable-workspace-trust", "--telemetry-level", "off"],
      ...["--server-data-dir", home],
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("VS Code's server did not start")), START_LIMIT_MS);
    server.stdout.on("data", (text) => {
      if (String(text).includes("listening on")) {
        clearTimeout(late);
        resolve(undefined);
      }
    });
    server.once("exit", (code) => reject(new Error(`VS Code's server ended with ${code}`)));
  });
  return server;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** What is missing of what a run needs; undefined where all is there. */
export function missing() {
  if (!existsSync(path.join(VSCODE, "node_modules"))) {
    return "VS Code is not installed here: run test/editor/prepare.sh";
  }
  return existsSync(CHROMIUM) ? undefined : `there is no ${CHROMIUM}: install Chromium, or name it in CHROMIUM`;
}
