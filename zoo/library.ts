import { existsSync, realpathSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const INSTALLED = fileURLToPath(new URL("./node_modules", import.meta.url));

/** Watches whether code of the zoo's packages runs, by the counters of the engine. */
export class LibraryWatch {
  readonly #session = new Session();
  /** The engine has the real paths of modules. */
  readonly #packages = pathToFileURL(`${existsSync(INSTALLED) ? realpathSync(INSTALLED) : INSTALLED}/`).href;

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** Whether code of a package has run since the last question, or the start. */
  async hasRun(): Promise<boolean> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    return result.some(
      ({ url, functions }) =>
        url.startsWith(this.#packages) && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    );
  }

  stop(): void {
    this.#session.disconnect();
  }
}
