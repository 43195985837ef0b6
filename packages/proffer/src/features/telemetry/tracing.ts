import { ProxyTracerProvider, type Tracer, type TracerProvider, trace } from "@opentelemetry/api";
import type { Settings } from "./options.ts";

/** The provider of a process without an SDK. */
const NO_PROVIDER: TracerProvider = new ProxyTracerProvider().getDelegate();

/** Finds the tracer. Without an SDK there is none, so that nothing is computed for it. */
export class Tracing {
  readonly #own: TracerProvider | undefined;
  #provider: TracerProvider | undefined;
  #tracer: Tracer | undefined;

  constructor({ tracerProvider }: Settings) {
    this.#own = tracerProvider;
  }

  /** The tracer; undefined without an SDK, which may be set up later. */
  tracer(): Tracer | undefined {
    const provider = this.#own ?? globalProvider();
    if (provider === undefined) return undefined;
    if (provider !== this.#provider) {
      this.#provider = provider;
      this.#tracer = provider.getTracer("proffer");
    }
    return this.#tracer;
  }
}

function globalProvider(): TracerProvider | undefined {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return provider;
  const delegate = provider.getDelegate();
  return delegate === NO_PROVIDER ? undefined : delegate;
}
