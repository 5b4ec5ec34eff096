/** Reports, in a panel beside the source or in the browser. */

import { readFile } from "node:fs/promises";
import * as path from "node:path";

import * as vscode from "vscode";

import { sourceUri } from "./gpu";
import { REPORT } from "./protocol";
import type { Server } from "./server";

export class Reports implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  dispose(): void {
    this.panel?.dispose();
  }

  /** Shows the report of a document, or of one kernel in it; without a document, of the active editor's. */
  async show(server: Server, uri: string | undefined, kernel?: string): Promise<void> {
    const document = uri ?? sourceUri()?.toString();
    if (document === undefined) {
      void vscode.window.showInformationMessage("roofstat: open a CUDA, C or C++ file to see its report.");
      return;
    }
    const args = kernel === undefined ? [document] : [document, kernel];
    const file = await server.execute<string>(REPORT, ...args);
    if (vscode.workspace.getConfiguration("roofstat").get("reportIn") === "browser") {
      await vscode.env.openExternal(vscode.Uri.file(file));
    } else {
      await this.showInPanel(file, kernel ?? path.basename(vscode.Uri.parse(document).path));
    }
  }

  /** One panel serves all reports, so that clicks on lenses do not pile up tabs. */
  private async showInPanel(file: string, subject: string): Promise<void> {
    const html = await readFile(file, "utf8");
    if (this.panel === undefined) {
      this.panel = vscode.window.createWebviewPanel(
        "roofstat.report",
        "",
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableFindWidget: true, localResourceRoots: [] },
      );
      this.panel.onDidDispose(() => (this.panel = undefined));
    }
    this.panel.title = `roofstat: ${subject}`;
    this.panel.webview.html = html;
    this.panel.reveal(undefined, true);
  }
}
