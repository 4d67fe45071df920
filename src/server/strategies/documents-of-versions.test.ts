import { rulesDocument } from '#contract/rules.ts';
import { expect, test, vi } from 'vitest';
import { documentsOfVersions } from './documents-of-versions.ts';

/** Versions of another version of the program, which are soon read. */
const versions = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ codeId: `soon forgotten ${from + i}`, document: { title: 'From tomorrow' } }));

test('of a thousand versions that are remembered the one that nobody has asked for the longest is forgotten, and no other', async () => {
  using parse = vi.spyOn(rulesDocument, 'safeParse');
  const isRead = async (number: number): Promise<boolean> => {
    parse.mockClear();
    await documentsOfVersions(versions(number, number + 1));
    return parse.mock.calls.length > 0;
  };
  await documentsOfVersions(versions(0, 1_000));
  expect(parse).toHaveBeenCalledTimes(1_000);
  expect(await isRead(0)).toBe(false); // asked for again
  expect(await isRead(1_000)).toBe(true); // one more than are remembered
  expect(await isRead(0)).toBe(false);
  expect(await isRead(2)).toBe(false);
  expect(await isRead(999)).toBe(false);
  expect(await isRead(1)).toBe(true);
});
