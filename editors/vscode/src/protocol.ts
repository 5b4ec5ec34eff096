/** What the server understands and says beyond the Language Server Protocol (docs/editors.md of roofstat). */

export interface Gpu {
  readonly name: string;
  readonly title: string;
}

/** Parameters of the notification `roofstat/status`. */
export interface Status {
  readonly uri: string | null;
  readonly gpu: Gpu;
  readonly state: "busy" | "idle" | "failed";
}

export const STATUS = "roofstat/status";
export const GPUS = "roofstat.gpus";
export const REPORT = "roofstat.report";
export const SHOW_REPORT = "roofstat.showReport";

export const LANGUAGES: readonly string[] = ["cuda-cpp", "c", "cpp"];
