/** Takes the pictures of docs/images in a real VS Code, with the program named in ROOFSTAT. */

import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";

import { EXTENSION, withVSCode } from "./vscode.mjs";

const SETTINGS = {
  "roofstat.path": process.env.ROOFSTAT ?? "roofstat",
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Light Modern",
  "workbench.activityBar.location": "hidden",
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "window.menuBarVisibility": "hidden",
  "breadcrumbs.enabled": false,
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  "editor.hover.delay": 100,
  "problems.showCurrentInStatus": false,
};
const LIMIT_MS = 60_000;
const PICTURES = path.join(EXTENSION, "..", "..", "docs", "images");

const folder = await mkdtemp(path.join(tmpdir(), "example-"));
await cp(path.join(EXTENSION, "test", "editor", "workspace"), folder, { recursive: true });
await mkdir(path.join(folder, ".vscode"));
await writeFile(path.join(folder, ".vscode", "settings.json"), JSON.stringify(SETTINGS));
await mkdir(PICTURES, { recursive: true });
try {
  await withVSCode(folder, { size: { width: 1000, height: 620 } }, async (page) => {
    const picture = (name) => page.screenshot({ path: path.join(PICTURES, `vscode-${name}.png`) });
    await page.locator(".monaco-workbench").waitFor({ timeout: LIMIT_MS });
    await page.getByRole("treeitem", { name: "sums.cu" }).dblclick({ timeout: LIMIT_MS });
    await page.locator(".codelens-decoration a").first().waitFor({ timeout: LIMIT_MS });
    await page.keyboard.press("Control+B");
    await page.locator(".squiggly-warning").first().waitFor({ timeout: LIMIT_MS });

    await page.locator(".view-line span", { hasText: /^column_sums$/ }).first().hover();
    await page.locator(".monaco-hover .hover-contents:visible").first().waitFor({ timeout: LIMIT_MS });
    await page.waitForTimeout(1000);
    await picture("hover");

    await page.mouse.move(990, 300);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+M");
    await page.locator(".markers-panel .monaco-list-row").first().waitFor({ timeout: LIMIT_MS });
    await page.waitForTimeout(1000);
    await picture("problems");
    await page.keyboard.press("Control+Shift+M");

    await page.locator(".codelens-decoration a").first().click();
    const panel = page.frameLocator("iframe.webview").frameLocator("iframe");
    await panel.getByRole("heading", { name: /column_sums/ }).waitFor({ timeout: LIMIT_MS });
    await page.waitForTimeout(1000);
    await picture("report");
    await page.keyboard.press("Control+1");

    await page.locator('.statusbar-item[id$="roofstat.gpu"]').click();
    await page.locator(".quick-input-list .monaco-list-row").first().waitFor({ timeout: LIMIT_MS });
    await page.waitForTimeout(500);
    await picture("gpu");
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
