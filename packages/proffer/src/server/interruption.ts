/** Ends a call without its handler: what the client gets instead of the handler's result. */
export class Interruption {
  readonly result: object;

  constructor(result: object) {
    this.result = result;
  }
}
