import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { optionalColumns, recallView, rememberView, viewAtStart } from './list-view.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  kept.clear();
});

test('the choice of the list is there at the next visit', () => {
  expect(recallView()).toEqual(viewAtStart);
  const view = { layout: 'table', columns: ['status', 'pnl'], sortedBy: { key: 'pnl', descending: true } } as const;
  rememberView(view);
  expect(recallView()).toEqual(view);
});

test('what is kept and not known any more is as at the start', () => {
  for (const text of ['', 'no JSON', 'null', '7', '{"layout":"map","columns":"all","sortedBy":"pnl"}', '{"sortedBy":{"key":"mood"}}']) {
    kept.set('bot-list', text);
    expect(recallView()).toEqual(viewAtStart);
  }
  kept.set('bot-list', '{"layout":"table","columns":["mood","open","status"],"sortedBy":{"key":"name"}}');
  expect(recallView()).toEqual({ layout: 'table', columns: ['status', 'open'], sortedBy: { key: 'name', descending: false } });
  expect(optionalColumns).toContain('open');
});
