import { fileURLToPath } from "node:url";
import { linkHttp } from "../packages/proffer/test/http/http-link.ts";
import { describeTransports, type Leg, type LegOptions, serviceOver } from "../packages/proffer/test/matrix.ts";
import { linkStdio, serveOverHttp } from "./links.ts";

/** The module to test, and how. */
interface Tested extends LegOptions {
  readonly module: URL;
  /** Environment variables of the server. */
  readonly env?: { readonly [name: string]: string };
}

/** Runs tests of a module that `proffer serve` serves over stdio and over HTTP, on each of the revisions. */
export function describeModule({ module, env, ...tested }: Tested, body: (leg: Leg) => void): void {
  const file = fileURLToPath(module);
  const transports = {
    stdio: async () => serviceOver(linkStdio(file, env), async () => {}),
    HTTP: async () => {
      const served = await serveOverHttp(file, env);
      return serviceOver(linkHttp(served.url), () => served.close());
    },
  };
  describeTransports(transports, tested, body);
}
