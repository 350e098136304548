// Damages the bytes that two sessions send each other: in all cases calls of the user's are refused by name, everything
// ends once, and the bytes that a session holds stay within its limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFrame, frameNames } from "../src/frame/index.js";
import { type Incoming, Refusal, Session } from "../src/session/index.js";

/** Numbers that look random, and are the same for a seed (the generator is mulberry32). */
function generator(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const seed = Number(process.env["FUZZ_SEED"] ?? 1);
const runs = Number(process.env["FUZZ_COUNT"] ?? 250);
const random = generator(seed);
const types = Object.keys(frameNames).map(Number);

/** A session with its user, who asks and answers at random, and knows the requests that have not ended. */
class Side {
  readonly session: Session;
  readonly open = new Set<bigint>();
  readonly theirs = new Set<bigint>();
  ends = 0;

  constructor(role: "opener" | "acceptor") {
    const limits = { inFlight: 8, inFlightBytes: 4096, queueBytes: 4096, bulkBytes: 2048, replyBytes: 1024, refusals: 16 };
    this.session = new Session({ role, services: ["a.B"], offerBatches: true, limits }, 0n);
  }

  take(one: Incoming): void {
    switch (one.kind) {
      case "response":
      case "ended":
      case "acked":
        if (one.kind !== "acked" || this.open.has(one.id)) {
          this.open.delete(one.id);
        }
        return;
      case "call":
      case "open":
        this.theirs.add(one.id);
        return;
      case "event":
        if (one.ack) {
          this.theirs.add(one.id);
        }
        return;
      case "end":
        this.ends++;
        return;
      default:
    }
  }

  act(now: bigint): void {
    const value = new Uint8Array(random(random(4) === 0 ? 900 : 40));
    const request = { service: random(2), method: random(3), deadline: BigInt(random(3) * 1000) };
    const pick = (ids: ReadonlySet<bigint>): bigint => [...ids][random(Math.max(ids.size, 1))] ?? BigInt(random(9));
    const s = this.session;
    const acts: (() => unknown)[] = [
      () => this.open.add(s.call(request, value, now)),
      () => this.open.add(s.open(request, random(4), BigInt(random(2000)), value, random(2) === 0, now)),
      () => s.event(request, value, random(3) === 0, "oldest", now),
      () => s.respond(pick(this.theirs), [], value, now),
      () => s.chunk(pick(random(2) === 0 ? this.open : this.theirs), value, random(5) === 0, random(3) === 0, now),
      () => s.finish(pick(random(2) === 0 ? this.open : this.theirs), now),
      () => s.grant(pick(this.open), random(9), BigInt(random(4000)), now),
      () => s.cancel(pick(this.open), now),
      () => s.release(pick(this.theirs), now),
      () => s.ack(pick(this.theirs), BigInt(random(3)), now),
      () => random(40) === 0 && s.drain("", now),
    ];
    try {
      acts[random(acts.length)]?.();
    } catch (error) {
      assert(error instanceof Refusal, String(error));
    }
  }
}

function damage(bytes: Uint8Array): Uint8Array {
  const out = bytes.slice();
  switch (random(4)) {
    case 0: {
      const at = random(out.length);
      out[at] = (out[at] ?? 0) ^ (1 << random(8));
      return out;
    }
    case 1:
      return out.subarray(0, random(out.length));
    default: // a frame of the damager's own, with a right hash
      return Buffer.concat([encodeFrame({
        type: types[random(types.length)] ?? 0x10, flags: random(5) === 0 ? random(16) : 0, id: BigInt(random(12)), trace: 0n,
        payload: Uint8Array.from({ length: random(30) }, () => random(3)),
      }), out]);
  }
}

test(`damaged frames end sessions by name (seed ${seed}, ${runs} runs)`, () => {
  let damaged = 0;
  for (let run = 0; run < runs; run++) {
    const sides = [new Side("opener"), new Side("acceptor")] as const;
    let now = 0n;
    for (let step = 0; step < 120; step++) {
      now += BigInt(random(2000));
      const [from, to] = random(2) === 0 ? sides : [sides[1], sides[0]];
      from.act(now);
      if (random(8) === 0) {
        from.session.tick(now);
      }
      let bytes = from.session.poll(1 << 16, now);
      if (bytes !== undefined && random(150) === 0) {
        damaged++;
        bytes = damage(bytes);
      }
      const piece = { bytes: bytes ?? new Uint8Array(0) };
      for (let one = to.session.receive(piece, now); one !== undefined; one = to.session.receive(piece, now)) {
        to.take(one);
      }
      assert(to.session.held < 4096 + 4096 + 16 * 1024 + 3000 + (1 << 17), `holds ${to.session.held}`);
    }
    for (const side of sides) {
      side.session.lost();
      for (let one = side.session.next(); one !== undefined; one = side.session.next()) {
        side.take(one);
      }
      assert.equal(side.ends, 1);
      assert.deepEqual(side.session.places, { mine: 0, theirs: 0 });
      assert(side.session.finished);
    }
  }
  assert(damaged > runs / 4, `only ${damaged} were damaged`);
});
