import { createHost } from "../../cli/src/inspect/host.ts";
import { WireRecord } from "../../cli/src/recordings/record.ts";
import type { InspectorHost } from "../src/support/host.ts";

export interface TestHost extends InspectorHost {
  readonly record: WireRecord;
}

/** Creates a host as the command line does, for a server without a module. */
export function createTestHost(options: Partial<TestHost>): TestHost {
  const { target = { kind: "module", name: "server" }, record = new WireRecord(), links, trace, history } = options;
  const command = { kind: "module", file: "server.ts" } as const;
  return { ...createHost({ target, record, command, links, trace, history }), ...options, record };
}
