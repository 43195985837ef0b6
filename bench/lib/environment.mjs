import os from "node:os";
import { versions } from "./install.mjs";

/** Describes the machine and the versions of a run. */
export function environment() {
  const cpus = os.cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus[0].model,
    cores: cpus.length,
    load: os.loadavg()[0],
    system: `${os.type()} ${os.release()}`,
    versions: versions(),
  };
}
