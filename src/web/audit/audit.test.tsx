import type { CallReply } from '#contract/client.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import { noteAnswer, noteFailure } from '../api/connection.ts';
import { clearSession } from '../session/session-store.ts';
import type { Answerer, ArrivedCall } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdMoments, pass } from '../testing/held-time.ts';
import { button, says, typeAtOnce } from '../testing/on-page.ts';
import { anAuditRecord } from '../testing/samples/audit.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import type { AuditRecord } from './record-text.ts';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer = (same) => same, search = '?tab=settings&view=audit') => {
  network = answers(answerFor(aUser('admin')));
  startPage('/');
  await render(<TestPage path="/" search={search} />);
  await expect.element(page.getByRole('navigation', { name: 'Settings pages' })).toBeVisible();
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => clearSession());
afterEach(async () => {
  await cleanup();
  network.stop();
});

const link = (name: string) => page.getByRole('link', { name, exact: true });
const address = () => document.querySelector<HTMLElement>('[data-testid="address"]')?.dataset['search'];
const table = () => page.getByRole('table', { name: 'Audit Log' });
const drawn = () => document.querySelectorAll('.audit-row').length;
const cells = (index: number) => [...(document.querySelectorAll('.audit-row')[index]?.children ?? [])].map((cell) => cell.textContent);
const queries = () => network.of('listAudit').map(({ query }) => query);
const choose = async (name: string, option: string) => {
  await page.getByRole('combobox', { name, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

/** Answers as the server does for `count` records that match. */
const many =
  (count: number) =>
  ({ query }: ArrivedCall): CallReply<'listAudit'> => {
    const newest = query['before'] === undefined ? count : Number(query['before']) - 1;
    const numbers = Array.from({ length: Math.min(100, newest) }, (_, i) => newest - i);
    return {
      total: count,
      records: numbers.map((number) => anAuditRecord(number)),
      next: numbers.length === 100 ? String(numbers.at(-1)) : null,
    };
  };
const only = (...records: AuditRecord[]): CallReply<'listAudit'> => ({ total: records.length, records, next: null });

describe('where it is', () => {
  test('the rail leads to the log and back, and the address says which page it is', async () => {
    await open(undefined, '?tab=settings');
    await says('1 of 1 users');
    await expect.element(link('Account and Users')).toHaveAttribute('aria-current', 'page');
    expect(network.of('checkAudit')).toEqual([]);
    await link('Audit Log').click();
    await expect.element(table()).toBeVisible();
    await expect.element(link('Audit Log')).toHaveAttribute('aria-current', 'page');
    await expect.poll(address).toBe('?tab=settings&view=audit');
    await button('back').click();
    await says('1 of 1 users');
    await expect.poll(address).toBe('?tab=settings');
  });

  test('each entry can be opened in another tab of the browser', async () => {
    await open();
    await expect.element(link('Audit Log')).toHaveAttribute('href', '?tab=settings&view=audit');
    await expect.element(link('Account and Users')).toHaveAttribute('href', '?tab=settings');
  });

  test('a view that does not exist is the first one', async () => {
    await open(undefined, '?tab=settings&view=nowhere');
    await says('1 of 1 users');
  });

  test('for others there is no log, and nothing is asked', async () => {
    network = answerFor(aUser('trader'));
    startPage('/');
    await render(<TestPage path="/" search="?tab=settings&view=audit" />);
    await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
    await expect.element(page.getByRole('figure', { name: 'PnL chart of BTC/USDT' })).toBeVisible();
    expect(page.getByRole('navigation', { name: 'Settings pages' }).elements()).toEqual([]);
    expect([...network.of('listAudit'), ...network.of('checkAudit')]).toEqual([]);
  });

  test('at 390 px the entries are above, and no long text is wider than the window', async () => {
    await page.viewport(390, 900);
    try {
      const long = `${'bartholomew.featherstonehaugh-'.repeat(6)}@${'harbour-'.repeat(10)}trading.example`;
      const detail = { from: { [`k${'x'.repeat(120)}`]: 'v'.repeat(300) }, to: {}, note: 'n'.repeat(400) };
      const record = anAuditRecord(1, {
        actor: long,
        target: 't'.repeat(200),
        target_name: long,
        detail,
        address: '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff',
      });
      await open((net) => net.on('listAudit', only(record)));
      await page.getByRole('button', { name: /2026-11-20/u }).click();
      await says('Details');
      const [first, last] = [link('Account and Users'), link('Audit Log')].map((each) => each.element().getBoundingClientRect());
      expect(first?.top).toBeLessThanOrEqual(last?.top ?? 0);
      expect(last?.bottom).toBeLessThan(document.querySelector('.audit')?.getBoundingClientRect().top ?? 0);
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
      const wider = [...document.querySelectorAll('.audit *')].filter((element) => element.getBoundingClientRect().right > 390);
      expect(wider.map(({ className }) => className)).toEqual([]);
    } finally {
      await page.viewport(1440, 1000);
    }
  });
});

describe('the check of the log', () => {
  test('while it is checked it says so, then that it is complete', async () => {
    let release: (found: CallReply<'checkAudit'>) => void = () => undefined;
    await open((net) => net.on('checkAudit', () => new Promise((resolve) => (release = resolve))));
    await says('Checking the log...');
    expect(page.getByText(/complete/u).elements()).toEqual([]);
    await expect.poll(() => network.of('checkAudit').length).toBe(1);
    release({ checked_at: '2026-11-21T19:00:02.000Z', records: 18407, broken: null });
    await says('Log intact: 18407 records, each bound to the one before.');
    await says('Checked 2026-11-21 19:00:02 UTC. Records cannot be changed or removed from here.');
  });

  test('a record that is not as written is an alarm that names it, its time and what to do', async () => {
    const broken = { id: '5213', time: '2026-11-20T12:00:00.123Z' };
    await open((net) => net.on('checkAudit', { checked_at: '2026-11-21T19:00:02.000Z', records: 5212, broken }));
    const alarm = page.getByRole('alert');
    await expect
      .element(alarm.getByText('The log is damaged: record 5213 of 2026-11-20 12:00:00.123 UTC is not as it was written.'))
      .toBeVisible();
    await expect.element(alarm.getByText(/The 5212 records before it are as written/u)).toBeVisible();
    await expect.element(alarm.getByText(/Compare the log with a backup from before 2026-11-20 12:00:00 UTC/u)).toBeVisible();
    expect(page.getByText(/Log intact/u).elements()).toEqual([]);
  });

  test('a check that failed says so and why, and another one helps; the records are there all the same', async () => {
    await open((net) => net.on('checkAudit', problem(403, 'Admin access required')));
    await says('The log could not be checked. Whether it is complete is not known.');
    await says('Admin access required');
    await expect.element(table()).toBeVisible();
    network.on('checkAudit', { checked_at: '2026-11-21T19:00:02.000Z', records: 1, broken: null });
    await button('Check Again').click();
    await says('Log intact: 1 record, each bound to the one before.');
    // What was found before is not shown for the present state.
    network.on('checkAudit', problem(403, 'Admin access required'));
    await button('Check Again').click();
    await says('The log could not be checked. Whether it is complete is not known.');
    expect(page.getByText(/Log intact/u).elements()).toEqual([]);
  });
});

describe('records', () => {
  test('a row says when, who, what, to what, from where and how it ended', async () => {
    const nobody = { actor: null, actor_role: null };
    await open((net) =>
      net.on(
        'listAudit',
        only(
          anAuditRecord(5, { action: 'change-role', target: idOf(2), target_name: 'mira@harbour.example' }),
          anAuditRecord(4, { ...nobody, result: 'refused' }),
          anAuditRecord(3, { ...nobody, action: 'backup', target: 'a.tar', address: null, request_id: null }),
          anAuditRecord(2, { action: 'register', result: 'failed' }),
          anAuditRecord(1, { action: 'launch-rocket', result: 'odd' }),
        ),
      ),
    );
    await expect.element(table()).toBeVisible();
    const admin = 'admin@flotilla.example';
    expect([0, 1, 2, 3, 4].map(cells)).toEqual([
      ['2026-11-20 00:05:00.112', admin, 'Changed the role of a user', 'mira@harbour.example', '192.0.2.14', 'done'],
      ['2026-11-20 00:04:00.112', 'somebody unknown', 'Tried to sign in', 'N/A', '192.0.2.14', 'refused'],
      ['2026-11-20 00:03:00.112', 'the server', 'Made a backup', 'a.tar', 'N/A', 'done'],
      ['2026-11-20 00:02:00.112', admin, 'Tried to create an account', 'N/A', '192.0.2.14', 'failed'],
      ['2026-11-20 00:01:00.112', admin, 'launch-rocket', 'N/A', '192.0.2.14', 'odd'],
    ]);
    const icons = [...document.querySelectorAll('.audit-word svg')].map((icon) => icon.innerHTML);
    expect(new Set(icons).size).toBe(4); // one for each word, two rows are done
    expect(icons.length).toBe(5);
  });

  test('a row opens and closes by a click and by the keyboard, and shows everything', async () => {
    const detail = { from: { verified: false, note: 'a' }, to: { verified: true }, owner: 'mira', count: 3 };
    const record = anAuditRecord(18402, { action: 'verify-user', target: idOf(2), target_name: 'mira@harbour.example', detail });
    await open((net) => net.on('listAudit', only(record, anAuditRecord(1))));
    const toggle = page.getByRole('button', { name: /2026-12-02/u });
    await expect.element(toggle).toHaveAttribute('aria-expanded', 'false');
    await table().getByText('Verified a user').click();
    await expect.element(toggle).toHaveAttribute('aria-expanded', 'true');
    const changed = page.getByRole('region', { name: 'Details of record 18402' });
    const lines = [...changed.element().querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent));
    expect(lines).toEqual([
      ['Field', 'Before', 'After'],
      ['Verified', 'no', 'yes'],
      ['Note', 'a', 'N/A'],
    ]);
    const facts = (of: Element) => [...of.querySelectorAll('dl > div')].map((fact) => [...fact.children].map((each) => each.textContent));
    expect(facts(changed.element())).toEqual([
      ['Owner', 'mira'],
      ['Count', '3'],
    ]);
    expect(facts(page.getByRole('region', { name: 'Record 18402', exact: true }).element())).toEqual([
      ['Number', '18402'],
      ['Action', 'verify-user'],
      ['Who', 'admin@flotilla.example'],
      ['Role at the time', 'admin'],
      ['Target', 'mira@harbour.example'],
      ['Target id', idOf(2)],
      ['From', '192.0.2.14'],
      ['Request', 'req-18402'],
      ['Fingerprint', 'c41e 09ab 77f2'],
    ]);
    toggle.element().focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(toggle).toHaveAttribute('aria-expanded', 'false');
    await expect.element(changed).not.toBeInTheDocument();
    await userEvent.keyboard(' ');
    await expect.element(changed).toBeVisible();
  });

  test('a value that was changed is named, and a record without details says so', async () => {
    const change = anAuditRecord(2, { action: 'bot-mode', target: idOf(101), target_name: 'Tide', detail: { to: 'live' } });
    await open((net) => net.on('listAudit', only(change, anAuditRecord(1))));
    await table().getByText('Tide').click();
    await expect.element(page.getByRole('row', { name: 'Mode N/A live' })).toBeVisible();
    await table().getByText('Signed in').click();
    await says('Nothing more was recorded.');
  });
});

describe('filters', () => {
  test('search is sent after a pause in typing, not letter by letter', async () => {
    await open();
    await expect.element(table()).toBeVisible();
    const searches = () => queries().flatMap(({ search }) => search ?? []);
    holdMoments(100);
    for (let letters = 1; letters <= 'mira@harbour'.length; letters += 1) {
      typeAtOnce(page.getByRole('searchbox', { name: 'Search records' }), 'mira@harbour'.slice(0, letters));
      await pass(290);
    }
    expect(searches()).toEqual([]);
    await pass(10);
    await expect.poll(searches).toEqual(['mira@harbour']);
  });

  test('action, result and period are asked for together; without a period there is no beginning', async () => {
    await open();
    await expect.element(table()).toBeVisible();
    const days = () => Math.round((Date.now() - Date.parse(queries().at(-1)?.['since'] ?? '')) / 86_400_000);
    expect(days()).toBe(7);
    await choose('Action', 'Switched a bot between paper and live');
    await expect.poll(() => queries().at(-1)?.['action']).toBe('bot-mode');
    await choose('Result', 'refused');
    await expect.poll(() => queries().at(-1)?.['result']).toBe('refused');
    await choose('Period', 'last 24 hours');
    await expect.poll(days).toBe(1);
    await choose('Period', 'last 30 days');
    await expect.poll(days).toBe(30);
    await choose('Period', 'all time');
    await expect.poll(() => queries().at(-1)).toEqual({ action: 'bot-mode', result: 'refused' });
    await choose('Action', 'All Actions');
    await expect.poll(() => queries().at(-1)).toEqual({ result: 'refused' });
  });

  test('no record that matches', async () => {
    await open((net) => net.on('listAudit', only()));
    await says('No records match your filters');
    await expect.element(button('Export CSV')).toBeDisabled();
  });

  test('another filter begins at its newest records', async () => {
    await open((net) => net.on('listAudit', many(412)));
    await button('Older').click();
    await says('101 to 200 of 412 records, newest first');
    await choose('Result', 'done');
    await says('Newest 100 of 412 records');
    expect(queries().at(-1)?.['before']).toBeUndefined();
  });
});

describe('loading', () => {
  test('until the records are there it says that they are being loaded', async () => {
    let release: (page: CallReply<'listAudit'>) => void = () => undefined;
    await open((net) => net.on('listAudit', () => new Promise((resolve) => (release = resolve))));
    await expect.element(page.getByText('Loading records')).toBeInTheDocument();
    await expect.poll(() => network.of('listAudit').length).toBe(1);
    release(only(anAuditRecord(1)));
    await says('Newest 1 of 1 record');
    expect(page.getByText('Loading records').elements()).toEqual([]);
  });

  test('a failure says so with its reason, and another try helps', async () => {
    await open((net) => net.on('listAudit', problem(403, 'Admin access required')));
    await says('Failed to load the audit log. Please try again.');
    await says('Admin access required');
    network.on('listAudit', many(3));
    await button('Try Again').click();
    await says('Newest 3 of 3 records');
    expect(page.getByRole('alert').elements()).toEqual([]);
  });

  test('Refresh shows what is new', async () => {
    await open((net) => net.on('listAudit', many(3)));
    await says('Newest 3 of 3 records');
    network.on('listAudit', many(4));
    await button('Refresh').click();
    await says('Newest 4 of 4 records');
  });
});

describe('pages', () => {
  test('Older loads the next hundred once, Newer shows the ones before; the keyboard follows', async () => {
    await open((net) => net.on('listAudit', many(250)));
    await says('Newest 100 of 250 records');
    await button('Older').click();
    await says('101 to 200 of 250 records, newest first');
    expect(queries().at(-1)?.['before']).toBe('151');
    expect(queries().at(-1)?.['since']).toBe(queries()[0]?.['since']);
    await expect.element(table()).toHaveFocus();
    await button('Older').click();
    await says('201 to 250 of 250 records, newest first');
    await expect.element(button('Older')).toBeDisabled();
    expect(drawn()).toBe(50);
    await button('Newer').click();
    await says('101 to 200 of 250 records, newest first');
    await button('Older').click();
    await says('201 to 250 of 250 records, newest first');
    expect(queries().length).toBe(3);
  });

  test('of a thousand records no more than a hundred are drawn', async () => {
    await open((net) => net.on('listAudit', many(1000)));
    await says('Newest 100 of 1000 records');
    for (let first = 101; first < 1000; first += 100) {
      await button('Older').click();
      await says(`${first} to ${first + 99} of 1000 records, newest first`);
      expect(drawn()).toBe(100);
    }
    await expect.element(button('Older')).toBeDisabled(); // though the server names a next page after every full one
    expect(cells(99)[0]).toBe('2026-11-20 00:01:00.112');
  });

  test('when the next hundred cannot be loaded, those that are there stay, and another try helps', async () => {
    await open((net) => net.on('listAudit', many(250)));
    await says('Newest 100 of 250 records');
    network.on('listAudit', problem(502, 'The database is away'));
    await button('Older').click();
    await says('Failed to load the audit log. Please try again.');
    await says('Newest 100 of 250 records');
    expect(drawn()).toBe(100);
    network.on('listAudit', many(250));
    await button('Try Again').click();
    await says('101 to 200 of 250 records, newest first');
  });

  test('when a later page is lost with all others, another try begins at the newest records', async () => {
    await open((net) => net.on('listAudit', many(250)));
    await button('Older').click();
    await says('101 to 200 of 250 records, newest first');
    network.on('listAudit', problem(403, 'Admin access required'));
    noteFailure('no-answer', Date.now() - 5_000);
    noteAnswer(Date.now()); // after an outage everything is loaded again
    await says('Failed to load the audit log. Please try again.');
    network.on('listAudit', many(250));
    await button('Try Again').click();
    await says('Newest 100 of 250 records');
    expect(page.getByText('No records match your filters').elements()).toEqual([]);
    await button('Older').click();
    await says('101 to 200 of 250 records, newest first');
  });
});

describe('export', () => {
  const files: { name: string; blob: Blob }[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- put back as it was
  const { click } = HTMLAnchorElement.prototype;
  const createObjectURL = URL.createObjectURL.bind(URL);
  let last: Blob;
  beforeEach(() => {
    files.length = 0;
    URL.createObjectURL = (blob) => {
      last = blob as Blob;
      return createObjectURL(blob);
    };
    HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
      files.push({ name: this.download, blob: last }); // in place of a download
    };
  });
  afterEach(() => {
    URL.createObjectURL = createObjectURL;
    HTMLAnchorElement.prototype.click = click;
  });

  test('all records that match are fetched page by page and saved as a file', async () => {
    holdMoments(2000);
    await open((net) => net.on('listAudit', many(250)));
    await says('Newest 100 of 250 records');
    await choose('Result', 'refused');
    await says('Newest 100 of 250 records');
    const before = queries().length;
    const held: (() => void)[] = [];
    network.on('listAudit', (call) => new Promise((resolve) => held.push(() => resolve(many(250)(call)))));
    await button('Export CSV').click();
    await says('Exporting...');
    await expect.poll(() => held.length).toBe(1);
    held[0]?.();
    await says('Exporting: 100 of 250 records');
    await expect.poll(() => held.length).toBe(2);
    held[1]?.();
    await says('Exporting: 200 of 250 records');
    await expect.element(button('Export CSV')).toBeDisabled();
    await expect.poll(() => held.length).toBe(3);
    held[2]?.();
    await says('Exported 250 records.');
    expect(
      queries()
        .slice(before)
        .map((query) => [query['result'], query['before']]),
    ).toEqual([
      ['refused', undefined],
      ['refused', '151'],
      ['refused', '51'],
    ]);
    expect(files.map(({ name }) => name)).toEqual([`audit-${new Date().toISOString().slice(0, 10)}.csv`]);
    const bytes = new Uint8Array((await files[0]?.blob.arrayBuffer()) ?? new ArrayBuffer());
    expect(bytes.slice(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]));
    const lines = new TextDecoder().decode(bytes).trimEnd().split('\r\n');
    expect(lines.length).toBe(251);
    expect(new Set(lines.slice(1).map((line) => line.split(',')[0])).size).toBe(250);
    await expect.element(button('Cancel')).not.toBeInTheDocument();
  });

  test('Cancel ends it without a file, and it can be begun again', async () => {
    await open((net) => net.on('listAudit', many(250)));
    await says('Newest 100 of 250 records');
    let release: () => void = () => undefined;
    network.on('listAudit', (call) =>
      call.query['before'] === undefined ? many(250)(call) : new Promise((resolve) => (release = () => resolve(many(250)(call)))),
    );
    await button('Export CSV').click();
    await says('Exporting: 100 of 250 records');
    await button('Cancel').click();
    await expect.element(page.getByText(/Exporting/u)).not.toBeInTheDocument();
    const asked = queries().length;
    release();
    network.on('listAudit', many(250));
    await expectToast('Exported 250 records.', () => button('Export CSV').click());
    expect(queries().length).toBe(asked + 3);
    expect(files.length).toBe(1);
    expect(page.getByText('The export failed. No file was made.').elements()).toEqual([]);
  });

  test('a page that fails ends it without a file, and says why', async () => {
    await open((net) => net.on('listAudit', many(250)));
    await says('Newest 100 of 250 records');
    network.on('listAudit', (call) => (call.query['before'] === undefined ? many(250)(call) : noAnswer) as CallReply<'listAudit'>);
    await button('Export CSV').click();
    await says('The export failed. No file was made.');
    expect(files).toEqual([]);
    await expect.element(button('Export CSV')).toBeEnabled();
  });

  test('it ends when the page is left', async () => {
    await open((net) => net.on('listAudit', many(250)));
    await says('Newest 100 of 250 records');
    const held: (() => void)[] = [];
    network.on('listAudit', (call) => new Promise((resolve) => held.push(() => resolve(many(250)(call)))));
    await button('Export CSV').click();
    await expect.poll(() => held.length).toBe(1);
    await link('Account and Users').click();
    await says('1 of 1 users');
    held[0]?.();
    await link('Audit Log').click();
    await expect.poll(() => held.length).toBe(2); // the list of the opened page, and no second page of the export
    expect(queries().at(-1)?.['before']).toBeUndefined();
    expect(files).toEqual([]);
  });
});
