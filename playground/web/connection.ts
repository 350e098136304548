// The connection to the worker. One question is with it at a time; of the others of a topic only the newest
// waits, and an overtaken question gets no answer. A worker that takes too much of the processor's time is
// ended, and another begun.

import { ProcessorTime } from "./processor-time.ts";
import type { Asks, FromWorker, Kind, ToWorker } from "./protocol.ts";

/** Port is the part of a worker that the connection uses. */
export interface Port {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: { data: FromWorker }) => void) | null;
}

/** Overtaken says that a newer question of the topic has come. */
export const overtaken = Symbol("overtaken");

/** TookTooLong is the failure of a question whose worker was ended. */
export class TookTooLong extends Error {}

interface Waiting {
  topic: string;
  kind: Kind;
  question: object;
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

export class Connection {
  /** restarts counts the workers that were ended. */
  restarts = 0;
  private port: Port | undefined;
  private ready = false;
  private id = 0;
  private current: Waiting | undefined;
  private waiting: Waiting[] = [];
  private time: ProcessorTime | undefined;

  constructor(
    /** module is the compiler, which may still be on its way. */
    private readonly module: Promise<WebAssembly.Module>,
    private readonly spawn: () => Port,
    private readonly limitMilliseconds: number,
    /** share measures which part of the time on the clock a worker has a processor now. */
    private readonly share: () => Promise<number>,
  ) {
    this.begin();
  }

  /** ask asks a question of a topic, and answers with `overtaken` if a newer one comes before the answer. */
  ask<K extends Kind>(kind: K, question: Asks[K][0], topic: string = kind): Promise<Asks[K][1] | typeof overtaken> {
    return new Promise((resolve, reject) => {
      this.waiting = this.waiting.filter((other) => {
        if (other.topic === topic) other.resolve(overtaken as never);
        return other.topic !== topic;
      });
      this.waiting.push({ topic, kind, question, resolve: resolve as (answer: never) => void, reject });
      this.next();
    });
  }

  private begin(): void {
    const port = this.spawn();
    this.port = port;
    this.ready = false;
    port.onmessage = ({ data }) => {
      if (this.port !== port) return;
      if ("ready" in data) {
        this.ready = true;
        this.next();
      } else if ("id" in data && data.id === this.id) {
        this.answered(data.reply, data.ended);
      }
    };
    this.module.then(
      (module) => port.postMessage({ module }),
      () => port.terminate(), // who has begun it tells why
    );
  }

  private next(): void {
    if (!this.ready || this.current || !this.port) return;
    const next = this.waiting.shift();
    if (!next) return;
    this.current = next;
    this.id++;
    this.time = new ProcessorTime(this.share, this.limitMilliseconds, () => this.tookTooLong());
    this.port.postMessage({ id: this.id, kind: next.kind, question: next.question });
  }

  private answered(reply: { answer: unknown; failure: string }, ended: boolean): void {
    const current = this.take();
    if (ended) this.restart();
    if (current && this.waiting.some((other) => other.topic === current.topic)) {
      current.resolve(overtaken as never);
    } else if (reply.failure) {
      current?.reject(new Error(reply.failure));
    } else {
      current?.resolve(reply.answer as never);
    }
    this.next();
  }

  private tookTooLong(): void {
    const current = this.take();
    this.restart();
    current?.reject(new TookTooLong(`the compiler took more than ${this.limitMilliseconds / 1000} s of a processor's time, and was begun again`));
  }

  /** take is the question that is with the worker, which then is no more. */
  private take(): Waiting | undefined {
    this.time?.stop();
    const current = this.current;
    this.current = undefined;
    return current;
  }

  private restart(): void {
    this.restarts++;
    this.port?.terminate();
    this.begin();
  }
}
