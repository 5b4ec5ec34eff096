/** The language client and the life of the server behind it. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

import { findProgram, type Found } from "./program";
import { LANGUAGES, SHOW_REPORT, STATUS, type Status } from "./protocol";

/** Handles a click on a code lens, which names a document and a kernel. */
type ShowReport = (uri: string, kernel?: string) => Promise<void>;

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  /** Starts and stops happen one after another. */
  private turn: Promise<void> = Promise.resolve();
  private readonly statuses = new vscode.EventEmitter<Status | undefined>();

  /** Fires with what the server says of its work, and with nothing when it has stopped. */
  readonly onStatus = this.statuses.event;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly showReport: ShowReport,
  ) {}

  get running(): boolean {
    return this.client?.isRunning() ?? false;
  }

  /** Starts the server anew; resolves when it serves, or when its absence has been reported. */
  restart(): Promise<void> {
    this.turn = this.turn.then(async () => {
      await this.end();
      await this.begin();
    });
    return this.turn;
  }

  stop(): Promise<void> {
    this.turn = this.turn.then(() => this.end());
    return this.turn;
  }

  dispose(): void {
    this.statuses.dispose();
  }

  /** Has the server carry out one of its commands. */
  async execute<Result>(command: string, ...args: unknown[]): Promise<Result> {
    await this.turn;
    if (this.client === undefined || !this.client.isRunning()) {
      throw new Error("the roofstat server does not run");
    }
    return (await this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args })) as Result;
  }

  private async begin(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === "file")
      .map((folder) => folder.uri.fsPath);
    const configured = vscode.workspace.getConfiguration("roofstat").get<string>("path", "");
    const found = await findProgram({ configured, interpreter: await chosenInterpreter(this.log), folders });
    for (const failure of found.failures) {
      this.log.info(`not used: ${failure}`);
    }
    if (found.program === undefined) {
      this.reportAbsence(found, configured);
      return;
    }
    const { command, args } = found.program;
    this.log.info(`starting ${[command, ...args, "lsp"].join(" ")}`);
    const client = new LanguageClient(
      "roofstat",
      "roofstat",
      { command, args: [...args, "lsp"], options: folders[0] === undefined ? {} : { cwd: folders[0] } },
      this.clientOptions(),
    );
    client.onNotification(STATUS, (status: Status) => this.statuses.fire(status));
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      this.log.error(`the server did not start: ${String(error)}`);
      this.offer(`The roofstat server did not start: ${String(error)}`, "Show Log");
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client === undefined) {
      return;
    }
    this.statuses.fire(undefined);
    try {
      await client.dispose();
    } catch (error) {
      this.log.warn(`the server did not end as asked: ${String(error)}`);
    }
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: LANGUAGES.flatMap((language) => [
        { scheme: "file", language },
        { scheme: "untitled", language },
      ]),
      outputChannel: this.log,
      middleware: {
        executeCommand: (command, args, next) =>
          command === SHOW_REPORT ? this.showReport(args[0] as string, args[1] as string | undefined) : next(command, args),
      },
    };
  }

  private reportAbsence(found: Found, configured: string): void {
    const message =
      configured === ""
        ? "roofstat is not installed where the editor looks. Install it with `pip install roofstat` in the Python " +
          "environment of this workspace, or set roofstat.path."
        : `roofstat.path names a program that does not serve: ${found.failures.join("; ")}.`;
    this.log.error(message);
    this.offer(message, "Open Settings", "Try Again", "Show Log");
  }

  /** Shows an error without waiting for an answer. */
  private offer(message: string, ...choices: string[]): void {
    void vscode.window.showErrorMessage(message, ...choices).then((choice) => {
      if (choice === "Open Settings") {
        void vscode.commands.executeCommand("workbench.action.openSettings", "roofstat.path");
      } else if (choice === "Try Again") {
        void this.restart();
      } else if (choice === "Show Log") {
        this.log.show();
      }
    });
  }
}

/** What of the Python extension's interface is used. */
interface PythonExtension {
  readonly environments: { getActiveEnvironmentPath(): { readonly path: string } };
}

/** The interpreter chosen in the Python extension, where that is installed. */
async function chosenInterpreter(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (extension === undefined) {
    return undefined;
  }
  try {
    return (await extension.activate()).environments.getActiveEnvironmentPath().path;
  } catch (error) {
    log.warn(`the Python extension names no interpreter: ${String(error)}`);
    return undefined;
  }
}
