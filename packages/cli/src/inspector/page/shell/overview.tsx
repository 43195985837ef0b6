import type { VNode } from "preact";
import { useApp } from "../state/app.ts";
import { count } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { MODIFIER } from "./modifier.ts";

const FIRST_TOOL = `/** Adds two numbers. */
export function add(a: number, b: number) {
  return a + b;
}`;

/** What the server says about itself, and the next step if it offers nothing. */
export function Overview(): VNode {
  const { offer, state } = useApp();
  if (offer === undefined) return <Waiting />;
  const { server, items } = offer;
  return (
    <div class="overview">
      <h2>
        {visible(server.title ?? server.name)}{" "}
        {server.version !== undefined && <small>{visible(server.version)}</small>}
      </h2>
      <p>
        {count(items.filter(({ kind }) => kind === "tool").length, "tool")},{" "}
        {count(items.filter(({ kind }) => kind === "prompt").length, "prompt")},{" "}
        {count(items.filter(({ kind }) => kind === "resource" || kind === "template").length, "resource")} on revision{" "}
        {offer.revision}. Choose one on the left, or press <kbd>{MODIFIER}K</kbd>.
      </p>
      {server.instructions !== undefined && (
        <>
          <h3>Instructions for models</h3>
          <p class="prose">{visible(server.instructions)}</p>
        </>
      )}
      {items.length === 0 && <NoItems source={state.abilities.source} />}
      <h3>Capabilities</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard */}
      <pre tabIndex={0}>{visible(JSON.stringify(server.capabilities, null, 2))}</pre>
    </div>
  );
}

/** Nothing for a moment, because most waits end before it; then a skeleton. */
function Waiting(): VNode {
  const { state } = useApp();
  return (
    <div class="waiting" aria-busy="true">
      <p>
        {state.connection.state === "connecting" ? "Connecting to the server…" : "Reading the lists of the server…"}
      </p>
      <div class="skeleton" />
      <div class="skeleton" />
    </div>
  );
}

function NoItems({ source }: { readonly source: boolean }): VNode {
  if (!source) return <p>The server offers no tools, prompts or resources on this revision. Try another one above.</p>;
  return (
    <>
      <p>The module exports no functions yet. Paste this into it and save: the tool appears here.</p>
      <pre>{FIRST_TOOL}</pre>
    </>
  );
}
