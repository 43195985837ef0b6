import type { Revision } from "../protocol/revision.ts";
import { createRouter, type Router } from "../uri/router.ts";
import { TemplateError } from "../uri/template.ts";
import type { Resource } from "./define-resource.ts";
import type { Prepared } from "./prepared.ts";
import { Registry } from "./registry.ts";
import { UsageError } from "./usage-error.ts";

/** Resources and templates: listed in the order of registration, found by URI. */
export class ResourceRegistry extends Registry<Resource> {
  readonly #router: Router<Resource> = createRouter<Resource>();
  readonly #prepared = new Map<Resource, Map<Revision, Prepared>>();

  constructor(changed: () => void) {
    super("resource", (resource) => resource.uri, changed);
  }

  override add(resource: Resource): void {
    super.add(resource);
    try {
      this.#router.add(resource.template ?? resource.uri, resource);
    } catch (cause) {
      super.remove(resource.uri);
      if (cause instanceof TemplateError) throw new UsageError("duplicate", cause.message, { cause });
      throw cause;
    }
  }

  override remove(uri: string): boolean {
    const resource = this.get(uri);
    if (resource === undefined) return false;
    this.#router.remove(uri);
    this.#prepared.delete(resource);
    return super.remove(uri);
  }

  /** Whether any template says how to complete its variables. */
  get completes(): boolean {
    return [...this].some((resource) => resource.complete.size > 0);
  }

  /** The resource that a URI names, with the values that a template found in it. */
  find(uri: string): { resource: Resource; params: Readonly<Record<string, unknown>> } | undefined {
    const found = this.#router.match(uri);
    return found && { resource: found.value, params: found.match.values };
  }

  /** What was serialised of a resource whose content never changes. */
  prepared(resource: Resource, revision: Revision): Prepared | undefined {
    return this.#prepared.get(resource)?.get(revision);
  }

  keep(resource: Resource, revision: Revision, prepared: Prepared): void {
    const byRevision = this.#prepared.get(resource) ?? new Map<Revision, Prepared>();
    byRevision.set(revision, prepared);
    this.#prepared.set(resource, byRevision);
  }
}
