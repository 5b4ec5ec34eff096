/** The status bar item that shows the GPU and offers the others. */

import * as vscode from "vscode";

import { GPUS, LANGUAGES, type Gpu, type Status } from "./protocol";
import type { Server } from "./server";

export class GpuItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("roofstat.gpu", vscode.StatusBarAlignment.Right, 100);
  /** The last status of each document, and under the empty name that of the settings. */
  private readonly statuses = new Map<string, Status>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.item.name = "roofstat: GPU";
    this.item.command = "roofstat.pickGpu";
    this.subscriptions = [
      this.item,
      server.onStatus((status) => this.take(status)),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
      vscode.workspace.onDidCloseTextDocument((document) => this.statuses.delete(document.uri.toString())),
    ];
    this.update();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Asks for a GPU and writes it to the settings of the workspace. */
  async pick(): Promise<void> {
    const uri = sourceUri();
    const current = this.status(uri)?.gpu.name;
    const gpus = await this.server.execute<Gpu[]>(GPUS);
    const items = gpus.map(({ name, title }) => ({ label: title, description: name }));
    const inUse = items.filter(({ description }) => description === current);
    const others = items.filter(({ description }) => description !== current);
    const choice = await vscode.window.showQuickPick([...inUse, ...others], {
      title: "GPU that kernels are placed on",
      placeHolder: inUse[0] === undefined ? "" : `now ${inUse[0].label}`,
      matchOnDescription: true,
    });
    if (choice !== undefined) {
      const configuration = vscode.workspace.getConfiguration("roofstat", uri ?? null);
      await configuration.update("gpu", choice.description, target(configuration, uri));
    }
  }

  private status(uri: vscode.Uri | undefined): Status | undefined {
    return (uri && this.statuses.get(uri.toString())) ?? this.statuses.get("");
  }

  private take(status: Status | undefined): void {
    if (status === undefined) {
      this.statuses.clear();
    } else {
      this.statuses.set(status.uri === null ? "" : vscode.Uri.parse(status.uri).toString(), status);
    }
    this.update();
  }

  /** Shown beside CUDA source, and beside C and C++ as soon as the server has something to say of the document. */
  private update(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || !(document.languageId === "cuda-cpp" || this.statuses.has(document.uri.toString()))) {
      this.item.hide();
      return;
    }
    const status = this.status(document.uri);
    if (status === undefined) {
      this.item.text = "$(circuit-board) roofstat";
      this.item.tooltip = this.server.running ? "roofstat" : "roofstat: the server does not run";
    } else {
      const icon = { busy: "$(sync~spin)", idle: "$(circuit-board)", failed: "$(warning)" }[status.state];
      this.item.text = `${icon} ${status.gpu.title}`;
      this.item.tooltip = `roofstat: kernels are placed on ${status.gpu.name}`;
    }
    this.item.show();
  }
}

/** Where the setting is written: into the folder where that has one of its own, which would hide the workspace's. */
function target(
  configuration: vscode.WorkspaceConfiguration,
  uri: vscode.Uri | undefined,
): vscode.ConfigurationTarget {
  if (vscode.workspace.workspaceFolders === undefined) {
    return vscode.ConfigurationTarget.Global;
  }
  const severalFolders = vscode.workspace.workspaceFile !== undefined;
  const ofFolder = uri && configuration.inspect("gpu")?.workspaceFolderValue;
  return severalFolders && ofFolder !== undefined
    ? vscode.ConfigurationTarget.WorkspaceFolder
    : vscode.ConfigurationTarget.Workspace;
}

/** The document that commands without an argument are about. */
export function sourceUri(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && LANGUAGES.includes(document.languageId) ? document.uri : undefined;
}
