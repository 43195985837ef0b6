import type { Target as CopyTarget } from "../client/target.ts";
import { copyAs } from "./copy/copy.ts";
import type { Inspector } from "./inspector.ts";
import type { Target } from "./protocol/offer.ts";
import { writeRecording } from "./recording/recording.ts";
import { warnOfSecrets } from "./recording/secret-names.ts";
import type { Handlers } from "./routes.ts";

/** The target of the inspector as commands name it. */
export interface CopiedTarget {
  readonly target: CopyTarget;
  /** The address of the server, once it is known. */
  url?(): string | undefined;
}

/** The requests of the page whose answers are texts to keep. */
export function createFileHandlers(
  { record, offers, revisions }: Inspector,
  target: Target,
  copied: CopiedTarget | undefined,
): Partial<Handlers> {
  return {
    export() {
      const [offer] = offers.known();
      const header = {
        target,
        ...(offer && { server: offer.server }),
        revisions: revisions(),
        lanes: [...record.lanes()],
      };
      return { text: writeRecording(header, record.messages()), warnings: warnOfSecrets(record.messages()) };
    },
    ...(copied && {
      async copy({ draft, format, client }) {
        const [newest = draft.revision] = revisions();
        const offer = offers.find(draft.revision) ?? (await offers.get(newest));
        const tools = offer.items.filter(({ kind }) => kind === "tool").map(({ description }) => description);
        const url = copied.url?.();
        const source = { target: copied.target, serverName: offer.server.name, newest, tools };
        return copyAs(format, draft, { ...source, ...(url !== undefined && { url }) }, client);
      },
    }),
  };
}
