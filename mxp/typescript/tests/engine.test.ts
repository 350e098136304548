// The engine with a driver that has no clock, no timers and no promises: all that it needs is given to it here.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Budget } from "../src/engine/budget.js";
import type { Alarm, Driver, Wire, WireOwner } from "../src/engine/driver.js";
import { Endpoint, type EndpointDriver, type DriverLink } from "../src/engine/endpoint.js";
import { Link } from "../src/engine/link.js";
import type { PeerRequest } from "../src/engine/order.js";
import { DialError } from "../src/engine/outage.js";
import { Pace } from "../src/engine/pace.js";
import { type Config, type Session, Status } from "../src/session/index.js";

/** One side of a connection in memory, whose time stands still. */
class Side implements Driver, Wire {
  readonly protects = true;
  readonly pace = new Pace((run) => this.#work.push(run), () => this.clock());
  readonly link: Link;
  readonly said: string[] = [];
  readonly alarms = new Map<Alarm, number>();
  readonly #work: (() => void)[];
  other: Side | undefined;
  owner: WireOwner | undefined;

  constructor(config: Config, work: (() => void)[]) {
    this.#work = work;
    this.link = new Link(this, this, { config, windowBytes: 1 << 16, budget: new Budget(1 << 24) });
  }

  start(owner: WireOwner): void {
    this.owner = owner;
  }

  write(bytes: Uint8Array): boolean {
    this.#work.push(() => this.other?.owner?.bytes(bytes));
    return true;
  }

  pause(): void {}
  resume(): void {}

  end(): void {
    this.#work.push(() => this.other?.owner?.ended());
  }

  destroy(): void {
    for (const side of [this, this.other]) {
      this.#work.push(() => side?.owner?.closed("it is over"));
    }
  }

  clock(): number {
    return 5;
  }

  soon(run: () => void): void {
    this.#work.push(run);
  }

  alarm(name: Alarm, ms: number | undefined): void {
    this.alarms.delete(name);
    if (ms !== undefined) {
      this.alarms.set(name, ms);
    }
  }

  opened({ services }: Session): void {
    this.said.push(`opened ${services.join()}`);
  }

  failed(): void {}

  drains(): void {
    this.said.push("drains");
  }

  begin(request: PeerRequest): void {
    assert(request.kind === "call");
    const { id, value } = request;
    this.link.respond(id, { value: value.slice().reverse(), metadata: [] }, () => this.link.order.ended(request), assert.fail);
  }

  dropped(): void {}

  closed(): void {
    this.said.push("closed");
  }
}

test("two links carry a call, and end, by what their driver does for them", () => {
  const work: (() => void)[] = [];
  const rest = (): void => {
    for (let run = work.shift(); run !== undefined; run = work.shift()) {
      run();
    }
  };
  const client = new Side({ role: "opener" }, work);
  const server = new Side({ role: "acceptor", services: ["demo.Echo"] }, work);
  [client.other, server.other] = [server, client];
  client.link.start();
  server.link.start();
  rest();
  const answers: Uint8Array[] = [];
  client.link.enter((session, now) => {
    const id = session.call({ service: 0, method: 1 }, new Uint8Array([1, 2, 3]), now);
    client.link.calls.set(id, { resolve: ({ value }) => answers.push(value), reject: assert.fail });
  }, assert.fail);
  rest();
  assert.deepEqual(answers, [new Uint8Array([3, 2, 1])]);
  assert(client.alarms.has("tick") && client.link.usable);
  client.link.drain("done");
  rest();
  assert.deepEqual([client.said, server.said], [["opened demo.Echo", "drains", "closed"], ["opened ", "drains", "closed"]]);
});

test("an endpoint says how long attempts may hang, and when the next one is made", () => {
  const said: string[] = [];
  let isWaitedFor = true;
  let rests = false;
  const driver: EndpointDriver = {
    dial: (hangMs) => said.push(`dial ${hangMs}`), pause: (ms) => said.push(`pause ${ms}`), rests: () => rests, changed: () => undefined,
    isWaitedFor: () => isWaitedFor, clock: () => 100, draw: () => 0.5,
  };
  const endpoint = new Endpoint<DriverLink>("mxp+tcp://a:1", driver);
  const told = (act: () => void): string[] => {
    act();
    return said.splice(0);
  };
  const fails = (hung: boolean) => () => endpoint.failed(new DialError(Status.Unavailable, "nobody listens"), hung);
  assert.deepEqual(told(() => endpoint.connect()), ["dial 2000"]);
  for (const [pause, hang] of [[2.5, 4000], [5, 8000], [10, 10_000], [20, 10_000]]) {
    assert.deepEqual(told(fails(true)), [`pause ${pause}`]);
    assert.deepEqual(told(() => endpoint.resume()), [`dial ${hang}`]);
  }
  assert(!endpoint.isHopeless && endpoint.cause.message.includes("mxp+tcp://a:1: nobody listens"));
  isWaitedFor = false;
  rests = true;
  assert.deepEqual(told(fails(false)), ["pause undefined"]);
  assert(endpoint.rests);
  assert.deepEqual(told(() => endpoint.hurry()), ["pause 40"]);
  rests = false;
  assert.deepEqual(told(() => endpoint.seen()), ["dial 2000"]);
  endpoint.failed(new DialError(Status.FailedPrecondition, "another protocol"), false);
  assert(endpoint.isHopeless && endpoint.close().length === 0);
});
