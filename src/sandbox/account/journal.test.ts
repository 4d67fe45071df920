import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Store } from './store.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-books-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Row {
  money: bigint;
  text: string;
}

/** A store in which rows 1 to n were written, one transaction each. */
function written(folder: string, rows: number, journalBytes?: number): void {
  const store = new Store(folder, journalBytes);
  const table = store.table<Row>('some');
  for (let i = 1; i <= rows; i++) {
    table.put(String(i % 10), { money: BigInt(i) * 10n ** 20n, text: `row ${i}` });
    store.commit();
  }
  store.close();
}

test('nobody else on the machine reads the books', () => {
  const folder = join(newFolder(), 'sandbox');
  written(folder, 50, 500); // with a snapshot
  const modes = ['', 'journal', 'snapshot'].map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  expect(modes).toEqual(['700', '600', '600']);
});

const read = (folder: string): Row[] => {
  const store = new Store(folder);
  const rows = [...store.table<Row>('some').rows()];
  store.close();
  return rows.sort((a, b) => (a.money < b.money ? -1 : 1));
};

test('what was committed is there after a new start, whole numbers of any size too; what was not is gone', () => {
  const folder = newFolder();
  const store = new Store(folder);
  const table = store.table<Row>('some');
  table.put('a', { money: 123_456_789_012_345_678_901n, text: '12' });
  store.commit();
  table.put('a', null);
  table.put('b', { money: 1n, text: 'b' });
  store.rollback();
  expect([...table.rows()]).toEqual([{ money: 123_456_789_012_345_678_901n, text: '12' }]);
  table.put('c', { money: 1n, text: 'c' });
  store.close();
  expect(read(folder)).toEqual([{ money: 123_456_789_012_345_678_901n, text: '12' }]);
});

test('a last line that was cut off is dropped, wherever it was cut', () => {
  const folder = newFolder();
  written(folder, 3);
  const journal = join(folder, 'journal');
  const whole = readFileSync(journal);
  const start = whole.lastIndexOf(10, whole.length - 2) + 1;
  for (let length = start; length < whole.length; length += 7) {
    writeFileSync(journal, whole.subarray(0, length));
    expect(read(folder).map(({ text }) => text)).toEqual(['row 1', 'row 2']);
    written(folder, 1); // and the journal continues behind it
    expect(read(folder).map(({ text }) => text)).toEqual(['row 1', 'row 2']);
  }
});

test('a broken line before the last one is not passed over', () => {
  const folder = newFolder();
  written(folder, 3);
  const journal = join(folder, 'journal');
  const bytes = readFileSync(journal);
  bytes[30] = bytes[30] === 48 ? 49 : 48;
  writeFileSync(journal, bytes);
  expect(() => read(folder)).toThrow('broken');
});

test('the journal is kept short by snapshots, and a crash between the two loses and doubles nothing', () => {
  const folder = newFolder();
  written(folder, 500, 1000);
  expect(readFileSync(join(folder, 'journal')).length).toBeLessThan(1200);
  const rows = read(folder);
  expect(rows.map(({ text }) => text)).toEqual(Array.from({ length: 10 }, (_, i) => `row ${491 + i}`));
  // As if it had been killed after the snapshot was renamed and before the journal was emptied, or while the next one was written.
  const journal = join(folder, 'journal');
  truncateSync(journal, 0);
  written(folder, 0);
  appendFileSync(join(folder, 'snapshot.new'), 'half a li');
  expect(read(folder).length).toBe(10);
});

test('what was acknowledged is there when a snapshot could not be finished', () => {
  const folder = newFolder();
  const store = new Store(folder, 1000);
  const table = store.table<Row>('some');
  mkdirSync(join(folder, 'snapshot')); // nothing can take its name
  let written = 0;
  expect(() => {
    for (let i = 1; i <= 100; i++) {
      table.put(String(i), { money: BigInt(i), text: `row ${i}` });
      written = i;
      store.commit();
    }
  }).toThrow();
  store.close();
  rmSync(join(folder, 'snapshot'), { recursive: true });
  expect(written).toBeGreaterThan(5);
  expect(read(folder).map(({ text }) => text)).toEqual(Array.from({ length: written }, (_, i) => `row ${i + 1}`));
});
