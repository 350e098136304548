import { isText, Layout, reference } from "../control/layout.js";

/** The layout text of several types, in which each block stands once [EVO-5.10]. */
export class Joint {
  #blocks: string[] = [];
  /** The places of blocks, by their names. */
  #places = new Map<string, number>();

  /** The text, which is empty without types. */
  get text(): string {
    return this.#blocks.join("");
  }

  /**
   * Adds a type by its layout text, if it can join, and the blocks that are new have at most so many
   * bytes. Gives how many they have.
   */
  add(text: string, most: number): number {
    if (!isText(text)) {
      return 0;
    }
    const layout = new Layout(text);
    const places = new Map(this.#places);
    const numbers = Array.from({ length: layout.size }, (_, i) => {
      const name = layout.nameOf(i);
      const place = places.get(name) ?? places.size;
      places.set(name, place);
      return place;
    });
    const blocks = [...this.#blocks];
    let bytes = 0;
    for (const [i, number] of numbers.entries()) {
      const block = renumbered(layout.textOf(i), number, numbers);
      if (block === undefined || (blocks[number] ?? block) !== block) {
        return 0;
      }
      if (number === blocks.length) {
        blocks.push(block);
        bytes += block.length; // it is ASCII
      }
    }
    if (bytes > most) {
      return 0;
    }
    this.#blocks = blocks;
    this.#places = places;
    return bytes;
  }
}

/** A block with another number, which names the blocks at other places; undefined where it names one that is not there. */
function renumbered(text: string, number: number, numbers: readonly number[]): string | undefined {
  const [head = "", ...lines] = text.split("\n");
  const space = head.indexOf(" ");
  let made = `${number} ${space < 0 ? "" : head.slice(space + 1)}\n`;
  for (const line of lines) {
    const words = line.split(" ");
    for (const [i, word] of words.entries()) {
      const named = reference(word);
      if (named === undefined) {
        continue;
      }
      if (named >= numbers.length) {
        return undefined;
      }
      words[i] = `#${numbers[named]}`;
    }
    made += `${words.join(" ")}\n`;
  }
  return made;
}
