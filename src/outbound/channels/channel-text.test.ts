import { expect, test } from 'vitest';
import type { ChannelLine } from './channel-text.ts';
import { channelText } from './channel-text.ts';

const line = (text: string, isUrgent = false): ChannelLine => ({
  id: text,
  topic: 'trade-closed',
  botId: null,
  at: new Date(0),
  isUrgent,
  text,
});
const length = (text: string): number => text.length;

test('a line each, in their sequence, as long as they fit', () => {
  expect(channelText([line('opened'), line('no stop', true), line('closed')], 100, length)).toBe('opened\nno stop\nclosed');
});

test('of more than fit what is urgent comes first, and the rest is counted', () => {
  const lines = [...Array.from({ length: 50 }, (_, i) => line(`closed trade ${i}`)), line('BTC/USDT has no stop', true)];
  const text = channelText(lines, 120, length);
  expect(text.length).toBeLessThanOrEqual(120);
  expect(text.split('\n')[0]).toBe('BTC/USDT has no stop');
  const shown = text.split('\n').length - 1;
  expect(text).toContain(`And ${51 - shown} more: see Flotilla.`);
});

test('a line that is too long by itself is cut between characters, whatever they take', () => {
  const bytes = (text: string): number => Buffer.byteLength(text);
  const text = channelText([line('🚀'.repeat(5_000)), line('after')], 400, bytes);
  expect(bytes(text)).toBeLessThanOrEqual(400);
  expect(text).toMatch(/^🚀+…\nAnd 1 more: see Flotilla\.$/u);
  expect(channelText([line('x'.repeat(500))], 400, length)).toMatch(/^x+…$/u);
});
