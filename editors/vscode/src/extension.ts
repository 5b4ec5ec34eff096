/** Entry point: the server, the status bar item and the commands. */

import * as vscode from "vscode";

import { GpuItem } from "./gpu";
import { Reports } from "./report";
import { Server } from "./server";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("roofstat", { log: true });
  const reports = new Reports();
  const own: Server = new Server(log, (uri, kernel) => reported(() => reports.show(own, uri, kernel)));
  server = own;
  const gpu = new GpuItem(own);
  context.subscriptions.push(
    log,
    reports,
    own,
    gpu,
    vscode.commands.registerCommand("roofstat.pickGpu", () => reported(() => gpu.pick())),
    vscode.commands.registerCommand("roofstat.openReport", () => reported(() => reports.show(own, undefined))),
    vscode.commands.registerCommand("roofstat.restart", () => own.restart()),
    vscode.commands.registerCommand("roofstat.showLog", () => log.show()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("roofstat.path")) {
        void own.restart();
      }
    }),
  );
  await own.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Runs a command; what goes wrong is shown to the user. */
async function reported(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    void vscode.window.showErrorMessage(`roofstat: ${error instanceof Error ? error.message : String(error)}`);
  }
}
