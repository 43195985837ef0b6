import type { VNode } from "preact";
import type { ItemKind, Offer } from "../../protocol/data.ts";
import { modifier, Preformatted } from "../parts/elements.tsx";
import { useApp } from "../state/app.ts";
import { count, ESTIMATE, tokenShare, visible } from "../text/format.ts";

const FIRST_TOOL = `/** Adds two numbers. */
export function add(a: number, b: number) {
  return a + b;
}`;

/** Tools that the overview names as the most expensive. */
const MAX_DEAR = 5;

/** The server in its own words, and the next step if it offers nothing. */
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
        {offer.revision}. Choose one on the left, or press <kbd>{modifier()}K</kbd>.
      </p>
      {server.instructions !== undefined && (
        <>
          <h3>Instructions for models</h3>
          <p class="prose">{visible(server.instructions)}</p>
        </>
      )}
      {items.length === 0 && <NoItems source={state.target?.kind === "dev"} />}
      <Tokens offer={offer} />
      <h3>Capabilities</h3>
      <Preformatted text={visible(JSON.stringify(server.capabilities, null, 2))} />
    </div>
  );
}

/** The cost of the lists for a model that gets them whole, and the most expensive tools. */
function Tokens({ offer }: { readonly offer: Offer }): VNode | null {
  const listed = (kind: ItemKind) => offer.items.filter((item) => item.kind === kind);
  const sum = (kind: ItemKind) => listed(kind).reduce((sum, { tokens = 0 }) => sum + tokens, 0);
  const prompts = sum("prompt");
  if (offer.tokens + prompts === 0) return null;
  const dearest = listed("tool").sort((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0));
  return (
    <section aria-label="Token cost">
      <h3>Token cost</h3>
      <p>
        Tools: {tokenShare(offer.tokens)}.{prompts > 0 && ` Prompts: ${tokenShare(prompts)}.`}
      </p>
      <ol>
        {dearest.slice(0, MAX_DEAR).map(({ key, tokens }) => (
          <li key={key}>
            {visible(key)} ≈ {tokens}
          </li>
        ))}
      </ol>
      <p class="quiet">{ESTIMATE}</p>
    </section>
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
