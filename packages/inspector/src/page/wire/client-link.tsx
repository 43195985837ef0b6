import type { VNode } from "preact";
import { Link } from "../shell/link.tsx";
import { useApp } from "../state/app.ts";
import { visible } from "../text/visible.ts";

/** Leads from the lane of a watched client to what it sees. A recording has no server to ask. */
export function ClientLink({ conn }: { readonly conn: string | undefined }): VNode | null {
  const { state } = useApp();
  const lane = state.lanes.find((lane) => lane.conn === conn);
  if (lane?.role !== "client" || !state.abilities.calls) return null;
  return <Link to={{ pane: "client", conn: lane.conn }}>What {visible(lane.name)} sees</Link>;
}
