import { namedItems } from "../catalog/find.ts";
import type {
  PromptDescription,
  ResourceDescription,
  TemplateDescription,
  ToolDescription,
} from "../protocol/model.ts";
import type { Call, TransportName } from "./call.ts";
import type { Client, Principal } from "./client.ts";

/** The description of a tool, a prompt, a resource or a resource template, as it was defined. */
export type ItemDescription = ToolDescription | PromptDescription | ResourceDescription | TemplateDescription;

/** A request as middleware and observers see it. */
export interface MiddlewareCall {
  /** Such as "tools/call". */
  readonly method: string;
  /** The tool, prompt or resource URI in the request, if it has one. */
  readonly name: string | undefined;
  /** The earlier name by which the client called the tool or prompt, if it did. `name` and `params` have the present one. */
  readonly alias: string | undefined;
  /** The description of the first item that the request names, as it was defined; undefined if the caller sees none. */
  readonly item: ItemDescription | undefined;
  /** As the client sent them: the arguments are not validated. */
  readonly params: Readonly<Record<string, unknown>>;
  /**
   * The arguments of a tool as its handler gets them: validated and converted when they are first read. A promise if the
   * schema is asynchronous; undefined if they are invalid, and for other methods. A policy decides by these, not by `params`.
   */
  readonly arguments: unknown;
  /** 0 for the first request of a call, 1 for the request with the answer to its first question, and so on. */
  readonly round: number;
  /** The same for all rounds of one call, and different for every other call. Clients never see it. */
  readonly chain: string;
  readonly principal: Principal | undefined;
  readonly client: Client;
  /** How the request reached the server: "memory" is the testing client. */
  readonly transport: TransportName;
  readonly signal: AbortSignal;
}

/** A view of a call without its internals, for functions of the author. */
export class CallView implements MiddlewareCall {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** The call behind a view, for Proffer's own policies and telemetry. */
  static callOf(view: MiddlewareCall): Call | undefined {
    return #call in view ? view.#call : undefined;
  }

  get method(): string {
    return this.#call.method;
  }

  get name(): string | undefined {
    const { name, uri } = this.#call.params;
    const subject = name ?? uri;
    return typeof subject === "string" ? subject : undefined;
  }

  get alias(): string | undefined {
    return this.#call.alias;
  }

  get item(): ItemDescription | undefined {
    return namedItems(this.#call)[0]?.item.description;
  }

  get params(): Readonly<Record<string, unknown>> {
    return this.#call.params;
  }

  get arguments(): unknown {
    return this.#call.definition?.readArguments?.(this.#call);
  }

  get round(): number {
    return this.#call.questions?.round ?? 0;
  }

  get chain(): string {
    return this.#call.chain;
  }

  get principal(): Principal | undefined {
    return this.#call.origin.principal;
  }

  get client(): Client {
    return this.#call.client;
  }

  get transport(): TransportName {
    return this.#call.origin.transport;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
