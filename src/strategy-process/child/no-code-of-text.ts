import { StrategyError } from '../strategy-error.ts';

const kinds = [() => undefined, async () => undefined, function* () {}, async function* () {}];

/**
 * Takes from this process, or this thread, every way to make code of a text: such code counts as part of the file whose function makes it, which
 * somebody else may have led to it, and imports what that file may import.
 */
export function removeCodeOfText(): void {
  Reflect.deleteProperty(globalThis, 'eval');
  for (const kind of kinds) {
    const shared = Object.getPrototypeOf(kind) as { constructor: { name: string } };
    const refuses = function (): never {
      throw new StrategyError('a strategy must not make code of a text');
    };
    Object.defineProperty(refuses, 'name', { value: shared.constructor.name });
    Object.defineProperty(refuses, 'prototype', { value: shared, writable: false }); // so that functions are instances of it still
    Object.defineProperty(shared, 'constructor', { value: refuses, writable: false, configurable: false });
  }
  const { constructor } = Function.prototype;
  Object.defineProperty(globalThis, 'Function', { value: constructor, writable: false, configurable: false });
}
