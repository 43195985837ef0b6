import type { Codec, Plan, PlanOption } from "proffer/derived";

/** A part of a schema or of a plan, with the parts that it contains. A part that occurs in two places is one object. */
export interface Part<Item extends Part<Item>> {
  /** The parts directly within this one; a part that occurs twice is listed twice. */
  readonly parts: readonly Item[];
  /** The bytes of the part as JSON, without the parts within it. */
  readonly bytes: number;
  /** Shared if it occurs twice, so a reference is counted instead of its content. */
  readonly isNamed: boolean;
  /** The bytes that must be saved for this part to be shared; undefined if it is shared for no other reason. */
  readonly worth: number | undefined;
}

/** The bytes of a reference to a definition with a name of usual length. */
const REFERENCE_BYTES = 40;

/** Smaller parts without a name stay at their place, where people, and clients without `$ref`, can read them. */
const MIN_BYTES = 100;

/** The run-time accepts 200 levels; a part that is not shared for its size has at most about 50 more. */
const MAX_LEVELS = 100;

/** Beyond this, sizes are only compared with small limits. */
const MAX_BYTES = 1e9;

/**
 * Returns the parts to write once and refer to: `recursive`, which cuts every cycle; named ones that occur twice; others
 * whose copies would cost more than references; and some of those that would be nested too deep. Each part is visited
 * once, however often it occurs.
 */
export function findShared<Item extends Part<Item>>(root: Item, recursive: Iterable<Item> = []): Set<Item> {
  const shared = new Set(recursive);
  const roots = [root, ...shared];
  const isCut = new Set(shared);
  const order = sortParts(roots, ({ parts }) => parts.filter((inner) => !isCut.has(inner)));
  const bytes = measure(order, shared);
  const copies = new Map<Item, number>(roots.map((part) => [part, 1]));
  // From here on each part comes after all parts that contain it.
  for (const part of order.reverse()) {
    const count = copies.get(part) ?? 0;
    if (part !== root && count > 1 && isWorth(part, count, bytes.get(part) ?? 0)) shared.add(part);
    const written = shared.has(part) ? 1 : count;
    for (const inner of part.parts) if (!isCut.has(inner)) copies.set(inner, (copies.get(inner) ?? 0) + written);
  }
  return shared;
}

function isWorth<Item extends Part<Item>>({ isNamed, worth }: Item, count: number, bytes: number): boolean {
  if (isNamed || worth === undefined) return isNamed;
  return bytes >= MIN_BYTES && (count - 1) * (bytes - REFERENCE_BYTES) >= worth;
}

/** Returns the bytes of each part with the parts within it. Adds the parts that would be nested too deep to `shared`. */
function measure<Item extends Part<Item>>(order: readonly Item[], shared: Set<Item>): Map<Item, number> {
  const bytes = new Map<Item, number>();
  const levels = new Map<Item, number>();
  for (const part of order) {
    let size = part.bytes;
    let height = 1;
    for (const inner of part.parts) {
      const isReference = shared.has(inner);
      size += isReference || inner.isNamed ? REFERENCE_BYTES : (bytes.get(inner) ?? 0);
      if (!isReference) height = Math.max(height, 1 + (levels.get(inner) ?? 0));
    }
    bytes.set(part, Math.min(size, MAX_BYTES));
    levels.set(part, height);
    if (height > MAX_LEVELS && part.worth !== undefined) shared.add(part);
  }
  return bytes;
}

/**
 * Returns everything that can be reached, each item after the next ones. `onCycle` gets the items that lead to
 * themselves. There is no recursion, so that no chain of types is too long.
 */
export function sortParts<Item>(
  roots: readonly Item[],
  next: (item: Item) => readonly Item[],
  onCycle?: (item: Item) => void,
): Item[] {
  const order: Item[] = [];
  const isDone = new Map<Item, boolean>();
  for (const root of roots) {
    const stack = isDone.has(root) ? [] : [{ item: root, more: next(root).values() }];
    isDone.set(root, isDone.get(root) ?? false);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { value, done } = top.more.next();
      if (done) {
        isDone.set(top.item, true);
        order.push(top.item);
        stack.pop();
      } else if (!isDone.has(value)) {
        isDone.set(value, false);
        stack.push({ item: value, more: next(value).values() });
      } else if (!isDone.get(value)) onCycle?.(value);
    }
  }
  return order;
}

/** The bytes that sharing a plan must save. Plans are not sent to clients, so a reference costs nothing else. */
const WORTH = 1024;

interface PlanPart extends Part<PlanPart> {
  readonly plan: Plan;
}

/** Returns the plans directly within a plan. */
export function plansIn(plan: Plan): Plan[] {
  const inner: Plan[] = [];
  mapPlans(plan, (own) => {
    inner.push(own);
    return own;
  });
  return inner;
}

/** Returns a codec in which large plans that occur more than once are written once. */
export function sharePlans(plan: Plan, defs: Readonly<Record<string, Plan>>): Codec {
  const known = new Map<Plan, PlanPart>();
  function partOf(own: Plan): PlanPart {
    let part = known.get(own);
    if (part === undefined) {
      const bytes = JSON.stringify(mapPlans(own, () => ({ kind: "ref", name: "" }))).length;
      part = { plan: own, parts: plansIn(own).map(partOf), bytes, isNamed: false, worth: WORTH };
      known.set(own, part);
    }
    return part;
  }
  const roots = [plan, ...Object.values(defs)];
  const root: PlanPart = { plan, parts: roots.map(partOf), bytes: 0, isNamed: false, worth: undefined };
  const shared = new Map([...findShared(root)].map((part, index) => [part.plan, `#${index + 1}`]));

  function write(own: Plan): Plan {
    return mapPlans(own, (inner) => {
      const name = shared.get(inner);
      return name === undefined ? write(inner) : { kind: "ref", name };
    });
  }

  const all = [...Object.entries(defs), ...[...shared].map(([own, name]) => [name, own] as const)];
  const written = all.map(([name, own]) => [name, write(own)] as const);
  return { plan: write(plan), ...(written.length > 0 && { defs: Object.fromEntries(written) }) };
}

/** Returns a copy of a plan whose direct parts are replaced by `change`, without the parts that it drops. */
export function mapPlans(plan: Plan, change: (inner: Plan) => Plan | undefined): Plan {
  const members = Object.entries(plan).map(([name, value]) => [name, value && mapMember(name, value, change)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as unknown as Plan;
}

function mapMember(name: string, value: unknown, change: (inner: Plan) => Plan | undefined): unknown {
  switch (name) {
    case "properties": {
      const changed = Object.entries(value as Record<string, Plan>).map(
        ([key, inner]) => [key, change(inner)] as const,
      );
      const kept = changed.filter(([, inner]) => inner !== undefined);
      return kept.length > 0 ? Object.fromEntries(kept) : undefined;
    }
    case "options":
      return (value as PlanOption[]).map((option) => ({ ...option, plan: change(option.plan) }));
    case "items":
      // Those of a tuple are a list.
      return Array.isArray(value) ? value.map((item) => (item && change(item)) ?? null) : change(value as Plan);
    default:
      return ["rest", "keys", "values", "value", "json"].includes(name) ? change(value as Plan) : value;
  }
}
