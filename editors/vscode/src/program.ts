/** Where the `roofstat` program is. Knows nothing of the editor, so that it can be tested without one. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Places {
  /** The setting `roofstat.path`; empty where it is not set. */
  readonly configured: string;
  /** The interpreter chosen in the Python extension. */
  readonly interpreter: string | undefined;
  readonly folders: readonly string[];
}

export interface Found {
  readonly program: Program | undefined;
  /** One line for each program that was tried and does not work: what it is and why. */
  readonly failures: readonly string[];
}

const WINDOWS = process.platform === "win32";
const PROBE_LIMIT_MS = 30_000;

/** The programs to try, the best first. A configured path is the only one: what is asked for is never replaced silently. */
export function candidates({ configured, interpreter, folders }: Places): Program[] {
  if (configured.trim() !== "") {
    return [{ command: expanded(configured.trim(), folders), args: [] }];
  }
  const python = WINDOWS ? ["Scripts", "python.exe"] : ["bin", "python"];
  const environments = folders
    .flatMap((folder) => [".venv", "venv"].map((name) => path.join(folder, name, ...python)))
    .filter((file) => existsSync(file));
  const interpreters = new Set([...(interpreter === undefined ? [] : [interpreter]), ...environments]);
  return [
    ...[...interpreters].map((command) => ({ command, args: ["-m", "roofstat"] })),
    { command: "roofstat", args: [] },
  ];
}

/** The first candidate whose language server starts. */
export async function findProgram(places: Places): Promise<Found> {
  const failures: string[] = [];
  for (const program of candidates(places)) {
    const failure = await probe(program);
    if (failure === undefined) {
      return { program, failures };
    }
    failures.push(`${[program.command, ...program.args].join(" ")}: ${failure}`);
  }
  return { program: undefined, failures };
}

function expanded(text: string, folders: readonly string[]): string {
  const home = text === "~" || /^~[/\\]/.test(text) ? homedir() + text.slice(1) : text;
  const filled = home.replaceAll("${workspaceFolder}", folders[0] ?? "");
  const isPath = /[/\\]/.test(filled);
  return isPath && folders[0] !== undefined ? path.resolve(folders[0], filled) : filled;
}

/** Why a program does not serve, or undefined where it does. */
function probe({ command, args }: Program): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, [...args, "lsp", "--help"], { timeout: PROBE_LIMIT_MS }, (error, _output, errors) => {
      if (error === null) {
        resolve(undefined);
      } else if (error.code === "ENOENT" || error.code === "EACCES") {
        resolve(error.code === "ENOENT" ? "there is no such program" : "it may not be run");
      } else if (error.killed === true) {
        resolve(`no answer within ${PROBE_LIMIT_MS / 1000} s`);
      } else {
        resolve(errors.trim().split("\n").at(-1) || `it ended with ${error.code ?? error.signal}`);
      }
    });
  });
}
