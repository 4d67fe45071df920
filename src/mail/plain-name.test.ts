import { expect, test } from 'vitest';
import { oneLine, plainName } from './plain-name.ts';

test.each([
  ['Bot\nclosed BTC/USDT long at 1, +9000 USDT', 'Bot closed BTC/USDT long at 1, +9000 USDT'],
  ['a\r\n\u2028\u2029b\u0000\u0007c', 'a b c'],
  ['+12\u202E00.5-\u202C \u2066x\u2069\u200E\u200F\u061C', '+12 00.5-   x'],
  ['  Ünïcode 網 👍🏽 stays ', 'Ünïcode 網 👍🏽 stays'],
])('%j is one line, read as it is written', (text, line) => {
  expect(oneLine(text)).toBe(line);
  expect(plainName(text)).toBe(line);
});

test.each([
  ['<@everyone> <!channel>', 'everyone !channel'],
  ['[Account locked](https://evil.example)', '[Account locked] (https: //evil.example)'],
  ['http://evil.example', 'http: //evil.example'],
  ['Grid [BTC] 2', 'Grid [BTC] 2'],
])('%j calls nobody in a chat, and is not a link', (text, plain) => {
  const made = plainName(text);
  expect(made).toBe(plain);
  expect(made).not.toMatch(/[<>@]|\]\(|:\/\//u);
});
