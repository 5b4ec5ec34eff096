/** What the extension host runs: the extension and the real server, asked through the interfaces of the editor. */

import assert from "node:assert/strict";
import * as path from "node:path";

import * as vscode from "vscode";

const LIMIT_MS = 60_000;
const KERNEL = "column_sums";

/** Called by the extension host; what it throws is reported and makes the exit status 1. */
export async function run(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  assert(folder !== undefined);
  const uri = vscode.Uri.joinPath(folder, "sums.cu");
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  assert.equal(document.languageId, "cuda-cpp");

  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(editor);
    } catch (error) {
      console.log(`not ok - ${name}: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
    console.log(`ok - ${name}`);
  }
}

const tests: Record<string, (editor: vscode.TextEditor) => Promise<void>> = {
  async "findings are shown as diagnostics"({ document }) {
    const found = await until("a finding", () => findings(document.uri).find((each) => codeOf(each) === "RS101"));
    assert.equal(document.getText(found.range).includes("matrix["), true, document.getText(found.range));
    assert.equal(found.source, "roofstat");
  },

  async "a lens above the kernel names the GPU and the ridge"({ document }) {
    const title = await until("a lens", async () => (await lenses(document.uri))[0]?.command?.title);
    assert.match(title, /^bandwidth-bound on A100 .* ridge /);
  },

  async "hovering over the kernel explains its verdict"({ document }) {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      document.uri,
      placeOf(document, KERNEL),
    );
    const texts = hovers.flatMap((hover) => hover.contents.map((each) => (typeof each === "string" ? each : each.value)));
    assert.match(texts.join("\n"), /bandwidth-bound/);
  },

  async "loops carry their trip counts"({ document }) {
    const everything = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>(
      "vscode.executeInlayHintProvider",
      document.uri,
      everything,
    );
    const labels = hints.map(({ label }) => (typeof label === "string" ? label : label.map((part) => part.value).join("")));
    assert(labels.some((label) => /128/.test(label)), labels.join());
  },

  async "an edit that is not saved changes the findings"(editor) {
    const { document } = editor;
    const uncoalesced = "row * columns + column";
    const start = document.positionAt(document.getText().indexOf(uncoalesced));
    const range = new vscode.Range(start, start.translate(0, uncoalesced.length));
    await editor.edit((change) => change.replace(range, "column * rows + row"));
    await until("the finding to go", () => findings(document.uri).every((each) => codeOf(each) !== "RS101"));
    assert(document.isDirty);
    await vscode.commands.executeCommand("undo");
    await until("the finding to come back", () => findings(document.uri).some((each) => codeOf(each) === "RS101"));
  },

  async "a GPU written to the workspace's settings takes effect at once"({ document }) {
    await vscode.workspace
      .getConfiguration("roofstat", document.uri)
      .update("gpu", "h100", vscode.ConfigurationTarget.Workspace);
    await until("a lens for the H100", async () => /H100/.test((await lenses(document.uri))[0]?.command?.title ?? ""));
    await vscode.workspace
      .getConfiguration("roofstat", document.uri)
      .update("gpu", undefined, vscode.ConfigurationTarget.Workspace);
    await until("a lens for the A100", async () => /A100/.test((await lenses(document.uri))[0]?.command?.title ?? ""));
  },

  async "the GPU is picked from the status bar's list"() {
    const picked = vscode.commands.executeCommand("roofstat.pickGpu");
    // The list opens when the server has answered; its first entry may be accepted only then.
    const setting = () => vscode.workspace.getConfiguration("roofstat").inspect("gpu")?.workspaceValue;
    await until("a choice", async () => {
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      return typeof setting() === "string";
    });
    await picked;
    await vscode.workspace
      .getConfiguration("roofstat")
      .update("gpu", undefined, vscode.ConfigurationTarget.Workspace);
  },

  async "a click on the lens shows the report of the kernel"({ document }) {
    const lens = await until("a lens", async () => (await lenses(document.uri))[0]?.command);
    await vscode.commands.executeCommand(lens.command, ...(lens.arguments ?? []));
    await until("a tab with the report", () =>
      vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .some((tab) => tab.input instanceof vscode.TabInputWebview && tab.label.includes(KERNEL)),
    );
  },

  async "a file without GPU code gets nothing"() {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file("/");
    const uri = vscode.Uri.joinPath(folder, "plain.cpp");
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    assert.deepEqual(await lenses(uri), []);
    assert.deepEqual(findings(uri), []);
  },

  async "the server is started anew on command"({ document }) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("roofstat.restart");
    await until("a lens of the new server", async () => (await lenses(document.uri)).length > 0);
    await until("findings of the new server", () => findings(document.uri).some((each) => codeOf(each) === "RS101"));
  },

  async "a path that names no program takes the findings away, and an empty one brings them back"({ document }) {
    const settings = vscode.workspace.getConfiguration("roofstat");
    await settings.update("path", "no-such-program", vscode.ConfigurationTarget.Workspace);
    await until("no findings", () => findings(document.uri).length === 0);
    await settings.update("path", undefined, vscode.ConfigurationTarget.Workspace);
    await until("findings", () => findings(document.uri).length > 0);
  },
};

function findings(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter((each) => each.source === "roofstat");
}

function codeOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === "object" ? code.value : code);
}

async function lenses(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
  return (await vscode.commands.executeCommand<vscode.CodeLens[] | undefined>("vscode.executeCodeLensProvider", uri, 10)) ?? [];
}

function placeOf(document: vscode.TextDocument, text: string): vscode.Position {
  return document.positionAt(document.getText().indexOf(text) + 1);
}

/** What `look` gives as soon as that is true; fails when it is not within the limit. */
async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
): Promise<Exclude<Value, undefined | null | false>> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) {
      return value as Exclude<Value, undefined | null | false>;
    }
    if (Date.now() > end) {
      const seen = vscode.languages.getDiagnostics().flatMap(([uri, each]) => each.map((one) => `${path.basename(uri.path)}: ${one.message}`));
      assert.fail(`waited in vain for ${what}; diagnostics: ${seen.join(" | ")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
