/** The real server, started as the extension starts it and spoken to with the library that the extension uses. */

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import {
  createProtocolConnection,
  CodeLensRequest,
  ConfigurationRequest,
  DidChangeConfigurationNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExecuteCommandRequest,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";

import manifest from "../package.json";
import { findProgram } from "../src/program";
import { GPUS, REPORT, SHOW_REPORT, STATUS, type Gpu, type Status } from "../src/protocol";

const LIMIT_MS = 60_000;

/** Values that are no defaults are set by the tests; the rest is what VS Code sends for this extension's manifest. */
const settings: Record<string, unknown> = {};
for (const [name, { default: value }] of Object.entries(manifest.contributes.configuration.properties)) {
  settings[name.slice("roofstat.".length)] = value;
}

const found = findProgram({ configured: process.env.ROOFSTAT ?? "", interpreter: undefined, folders: [process.cwd()] });

let folder: string;
let uri: string;
let server: ChildProcess;
let connection: ProtocolConnection;
const complaints: string[] = [];
const heard: { published: PublishDiagnosticsParams[]; statuses: Status[] } = { published: [], statuses: [] };

before(async () => {
  const { program, failures } = await found;
  assert(program !== undefined, `no program serves: ${failures.join("; ")}`);
  folder = await mkdtemp(path.join(tmpdir(), "roofstat-server-"));
  const file = path.join(folder, "sums.cu");
  await writeFile(file, await readFile(path.join("test", "editor", "workspace", "sums.cu")));
  uri = pathToFileURL(file).href;
  server = spawn(program.command, [...program.args, "lsp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  assert(server.stdin !== null && server.stdout !== null);
  connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => void heard.published.push(params));
  connection.onNotification(STATUS, (status: Status) => void heard.statuses.push(status));
  connection.onNotification("window/showMessage", ({ message }: { message: string }) => void complaints.push(message));
  connection.onRequest(ConfigurationRequest.type, ({ items }) => items.map(() => settings));
  connection.onRequest(RegistrationRequest.type, () => undefined);
  connection.listen();
  const folderUri = pathToFileURL(folder).href;
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: folderUri,
    workspaceFolders: [{ uri: folderUri, name: "folder" }],
    capabilities: {
      workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true }, workspaceFolders: true },
    },
  });
  assert.deepEqual(new Set(capabilities.executeCommandProvider?.commands), new Set([GPUS, REPORT, SHOW_REPORT]));
  await connection.sendNotification(InitializedNotification.type, {});
  const text = await readFile(file, "utf8");
  await connection.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "cuda-cpp", version: 1, text },
  });
});

after(async () => {
  await connection.sendRequest(ShutdownRequest.type);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  await connection.sendNotification(ExitNotification.type);
  assert.equal(await ended, 0);
  connection.dispose();
  await rm(folder, { recursive: true });
});

test("findings arrive with the version of the document", async () => {
  const params = await until("diagnostics", () => heard.published.find((each) => each.diagnostics.length > 0));
  assert.equal(params.uri, uri);
  assert.equal(params.version, 1);
  assert(params.diagnostics.some(({ code, source }) => code === "RS101" && source === "roofstat"));
});

test("the settings of the manifest are all known to the server", () => {
  assert.deepEqual(complaints, []);
});

test("the status names the document, its GPU and that the work is done", async () => {
  const status = await until("a status", () => heard.statuses.find((each) => each.uri === uri && each.state === "idle"));
  assert.deepEqual(status.gpu.name, "a100-sxm-80");
});

test("a hover and a lens speak of the kernel", async () => {
  const position = { line: 2, character: 18 };
  const hover = await connection.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
  assert.match(JSON.stringify(hover?.contents), /bandwidth-bound/);
  const lenses = await connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } });
  assert.deepEqual(lenses?.[0]?.command?.command, SHOW_REPORT);
  assert.deepEqual(lenses?.[0]?.command?.arguments, [uri, "column_sums"]);
});

test("the list of GPUs has names and titles", async () => {
  const gpus = (await connection.sendRequest(ExecuteCommandRequest.type, { command: GPUS, arguments: [] })) as Gpu[];
  assert(gpus.length > 10);
  assert(gpus.every(({ name, title }) => name !== "" && title !== ""));
});

test("the report of a kernel is a file", async () => {
  const args = { command: REPORT, arguments: [uri, "column_sums"] };
  const file = (await connection.sendRequest(ExecuteCommandRequest.type, args)) as string;
  assert.match(await readFile(file, "utf8"), /^<!doctype html>[^]*column_sums/);
});

test("a GPU chosen while it runs takes effect", async () => {
  settings.gpu = "h100";
  await connection.sendNotification(DidChangeConfigurationNotification.type, { settings: { roofstat: settings } });
  await until("a status of the H100", () => heard.statuses.find((each) => each.uri === uri && each.gpu.name === "h100-sxm"));
});

test("closing the document takes its findings away", async () => {
  await connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  await until("no diagnostics", () => heard.published.at(-1)?.diagnostics.length === 0);
});

async function until<Value>(what: string, look: () => Value | undefined): Promise<NonNullable<Value>> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; ) {
    const value = look();
    if (value !== undefined && value !== null && value !== false) {
      return value;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited in vain for ${what}`);
}
