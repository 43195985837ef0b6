import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { HistoryEntry, InspectorFinding } from "../../protocol/api.ts";
import type { Item, ItemKind } from "../../protocol/data.ts";
import { Button, Link } from "../parts/elements.tsx";
import { moveFocus } from "../parts/tabs.tsx";
import { useApp } from "../state/app.ts";
import { itemId, itemOfCall } from "../state/calls.ts";
import { count, duration, visible } from "../text/format.ts";

/** The groups of the list. A skill is the resource of its SKILL.md. */
const GROUPS: readonly (readonly [title: string, kind: ItemKind, skill?: boolean])[] = [
  ["Tools", "tool"],
  ["Prompts", "prompt"],
  ["Skills", "resource", true],
  ["Resources", "resource"],
  ["Templates", "template"],
];
const SKILL = /^skill:\/\/.+\/SKILL\.md$/;
/** A server may list thousands; finding is faster than scrolling. */
const MAX_SHOWN = 200;
const MAX_RECENT = 8;

export function ItemList(props: {
  readonly history: readonly HistoryEntry[];
  readonly findings: readonly InspectorFinding[] | undefined;
}): VNode {
  const { history, findings = [] } = props;
  const { offer, go } = useApp();
  const [wanted, setWanted] = useState("");
  const items = (offer?.items ?? []).filter((item) => isWanted(item, wanted));
  const [first] = items;
  const found = useMemo(() => {
    const ids = findings.flatMap(({ item }) => (item === undefined ? [] : [itemId(item)]));
    return new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));
  }, [findings]);
  return (
    <nav class="items" aria-label="Offer" onKeyDown={moveFocus}>
      <div class="find">
        <input
          id="find"
          type="search"
          aria-label="Find"
          aria-keyshortcuts="/"
          placeholder="Find… (/)"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && first) go({ pane: "item", kind: first.kind, key: first.key });
            if (event.key === "ArrowDown") document.querySelector<HTMLElement>(".groups [data-roving]")?.focus();
          }}
        />
      </div>
      <div class="groups">
        {offer !== undefined &&
          GROUPS.map(([title, kind, skill = false]) => {
            const own = items.filter((item) => item.kind === kind && SKILL.test(item.key) === skill);
            const stays = kind === "tool" && wanted === "";
            return (own.length > 0 || stays) && <Group key={title} title={title} items={own} found={found} />;
          })}
        {wanted !== "" && items.length === 0 && <p class="empty">Nothing here has “{wanted}” in its name or text.</p>}
        <LiveList />
        <Recent entries={history} />
        {offer?.problems.map((problem) => (
          <p key={problem} class="problem">
            {visible(problem)}
          </p>
        ))}
      </div>
    </nav>
  );
}

function isWanted({ key, description }: Item, wanted: string): boolean {
  const texts = [key, description.title, description.name, description.description];
  return texts.some((text) => typeof text === "string" && text.toLowerCase().includes(wanted.toLowerCase()));
}

function Group(props: {
  readonly title: string;
  readonly items: readonly Item[];
  readonly found: ReadonlyMap<string, number>;
}): VNode {
  const [whole, setWhole] = useState(false);
  const { items } = props;
  const shown = whole ? items : items.slice(0, MAX_SHOWN);
  return (
    <section aria-label={props.title}>
      <h2>
        {props.title} <span class="count">{items.length}</span>
      </h2>
      <ul>
        {shown.map((item, index) => (
          <ItemEntry key={item.key} item={item} first={index === 0} found={props.found.get(itemId(item))} />
        ))}
      </ul>
      {items.length > shown.length && (
        <Button label={`Show all ${items.length}`} class="plain" data-roving onClick={() => setWhole(true)} />
      )}
    </section>
  );
}

interface ItemEntryProps {
  readonly item: Item;
  readonly first: boolean;
  /** The number of findings of doctor. */
  readonly found: number | undefined;
}

function ItemEntry({ item, first, found }: ItemEntryProps): VNode {
  const { route, state } = useApp();
  const { shown } = route;
  const current = shown.pane === "item" && shown.kind === item.kind && shown.key === item.key;
  const group = shown.pane === "item" && shown.kind === item.kind;
  const mark = state.unseen.get(itemId(item));
  return (
    <li>
      <Link
        to={{ pane: "item", kind: item.kind, key: item.key }}
        class={item.kind === "template" || item.kind === "resource" ? "entry code" : "entry"}
        aria-current={current ? "page" : undefined}
        tabIndex={current || (first && !group) ? 0 : -1}
        data-roving
        data-item
      >
        <span class="name">{visible(SKILL.test(item.key) ? String(item.description.name) : item.key)}</span>
        {mark !== undefined && <span class="mark">{mark === "added" ? "new" : mark}</span>}
        {found !== undefined && (
          <span class="finding-mark warning" title={count(found, "finding")}>
            <span aria-hidden="true">!</span>
            <span class="visually-hidden">{count(found, "finding")}</span>
          </span>
        )}
        <span class="aside">{asideOf(item)}</span>
      </Link>
    </li>
  );
}

function asideOf({ kind, tokens, description }: Item): string {
  if (kind === "tool" && tokens !== undefined) return `≈ ${tokens}`;
  const { arguments: args } = description;
  return kind === "prompt" && Array.isArray(args) && args.length > 0 ? count(args.length, "argument") : "";
}

function LiveList(): VNode | null {
  const { state } = useApp();
  if (state.live.size === 0) return null;
  return (
    <section aria-label="Live">
      <h2>
        Live <span class="count">{state.live.size}</span>
      </h2>
      <ul>
        {[...state.live.values()].map(({ uri, revision, updates }) => (
          <li key={`${revision} ${uri}`}>
            <Link to={{ pane: "item", kind: "resource", key: uri }} class="entry code" tabIndex={-1} data-roving>
              <span class="name">{visible(uri)}</span>
              <span class="aside">live · {updates}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Recent({ entries }: { readonly entries: readonly HistoryEntry[] }): VNode | null {
  const { route } = useApp();
  const { shown } = route;
  return (
    <section aria-label="History">
      <h2>
        <Link to={{ pane: "history" }} data-roving aria-current={shown.pane === "history" ? "page" : undefined}>
          History
        </Link>{" "}
        <span class="count">{entries.length}</span>
      </h2>
      <ul>
        {entries.slice(0, MAX_RECENT).map((entry) => (
          <li key={entry.id}>
            <Link
              to={{ pane: "history", id: entry.id }}
              class="entry"
              tabIndex={-1}
              data-roving
              aria-current={shown.pane === "history" && shown.id === entry.id ? "page" : undefined}
            >
              <span class="name">{entry.saved ? `★ ${entry.saved}` : visible(itemOfCall(entry.draft).key)}</span>
              <span class="aside">{outcomeOf(entry)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function outcomeOf({ runs, ms, status }: HistoryEntry): string {
  if (status !== "done") return status;
  return [runs > 1 ? `${runs} rounds` : "", ms === undefined ? "" : duration(ms)].filter(Boolean).join(" · ");
}
