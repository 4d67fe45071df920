import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { clearSession } from '../session/session-store.ts';
import type { Answerer } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdBeats, pass } from '../testing/held-time.ts';
import { button, says } from '../testing/on-page.ts';
import { aBot } from '../testing/samples/bots.ts';
import {
  aCertificate,
  aCertifiedTrade,
  certifiedDay,
  newestCertificates,
  noCertificate,
  someCertificates,
} from '../testing/samples/certificates.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

let network: Answerer;
const user = aUser('trader');
const mine = aBot(1, { nickname: 'Momentum Desk', user_id: user.userId });
const theirs = aBot(2, { nickname: 'Of Another', user_id: idOf(7) });

async function open(
  answers: (network: Answerer) => Answerer = (same) => same,
  { search = `?tab=reports&view=certificates&bot=${mine.id}&day=${certifiedDay}`, as = user } = {},
): Promise<void> {
  network = answers(
    answerFor(as)
      .on('listBots', [mine, theirs])
      .on('newestCertificates', newestCertificates([mine]))
      .on('botCertificates', someCertificates())
      .on('botCertificate', aCertificate()),
  );
  startPage('/');
  await render(<TestPage path="/" search={search} />);
}
beforeAll(() => page.viewport(1440, 1100));
beforeEach(() => clearSession());
afterEach(async () => {
  vi.restoreAllMocks();
  await cleanup();
  network.stop();
});

const figures = () =>
  [...document.querySelectorAll('[aria-label="Figures of the certificate"] > div')].map((each) =>
    [...each.children].map((child) => child.textContent),
  );
const checks = () =>
  Object.fromEntries(
    [...document.querySelectorAll('.certificates-checks > div')].map((each) => [...each.children].map((child) => child.textContent.trim())),
  ) as Record<string, string>;
const rows = () =>
  [...document.querySelectorAll('table[aria-label="Trades of the day"] tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
/** The certificates of some days, of which the newest is so many days after that of the others. */
const dayLater = (count: number, days: number) => ({
  certificates: someCertificates(count).certificates.map((each) => ({
    ...each,
    day: new Date(Date.parse(`${each.day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10),
  })),
});
/** A minute goes by after everything that is shown has been answered: what is under way is not asked for again. */
async function aMinute(): Promise<void> {
  const asked = () => (['newestCertificates', 'botCertificates', 'botCertificate'] as const).map((call) => network.of(call).length);
  const before = asked();
  await expect
    .poll(async () => {
      await pass(60_000);
      return asked().every((count, n) => count > (before[n] ?? 0));
    })
    .toBe(true);
}
const bars = () => [...document.querySelectorAll('.certificates-waterfall li')].map((bar) => bar.textContent);

describe('ADD-certificate a certificate', () => {
  test('says what of the promise arrived, shows the way there, the checks, and each trade with what explains it', async () => {
    await open();
    await says('94.0% of the backtest’s promise reached the account');
    expect(figures()).toEqual([
      ['Backtest', '+$12.02'],
      ['Account', '+$11.30'],
      ['Difference', '-$0.72'],
      ['Unexplained', '+$0.00'],
    ]);
    expect(bars()).toEqual([
      'Backtest of the day+$12.02',
      'Fill price-$0.48',
      'Delay-$0.16',
      'Partial fills+$0.00',
      'Fees-$0.08',
      'Funding+$0.00',
      'Data differed+$0.00',
      'Decision differed+$0.00',
      'Account+$11.30',
    ]);
    expect(checks()).toMatchObject({
      'Candles the same': '96 of 96',
      'Decisions the same': '96 of 96',
      'Trades the same': '2 of 2',
      Settings: 'version 14, all day',
      'Candle data differed': 'none',
      Replayed: '2026-11-21 00:05:11 in 38 ms',
      Fingerprint: '5b70 e2c9 18fd',
    });
    const [, first, second, total] = rows();
    expect(first).toEqual([
      '06:45:01',
      '▲ long',
      'ETH/USDT:USDT',
      '+$7.92',
      '+$7.20',
      '-$0.72',
      'fill price -$0.48, delay -$0.16, fees -$0.08',
      'explained',
    ]);
    expect(second.slice(5)).toEqual(['+$0.00', 'equal to the last decimal', 'equal']);
    expect(total.slice(3, 6)).toEqual(['+$12.02', '+$11.30', '-$0.72']);
    await expect.element(page.getByRole('figure', { name: 'Share of the promise that arrived, day by day' })).toBeVisible();
    await says('9 days; 1 without a promise');
  });

  test('of a strategy in Python has notes of its replay, and the seconds it took', async () => {
    const notes = ['The strategy keeps something between its calls (self.best). The replay began without it.', 'Another.'];
    await open((net) => net.on('botCertificate', aCertificate({}, { notes, took_ms: 64_923 })));
    await says(notes[0] ?? '');
    expect([...document.querySelectorAll('[aria-label="Notes on the replay"] li')].map((each) => each.textContent)).toEqual(notes);
    expect(checks()['Replayed']).toMatch(/ in 64\.9 s$/u);
    network.on('botCertificate', aCertificate());
    await button('Previous day').click();
    await expect.poll(() => document.querySelector('[aria-label="Notes on the replay"]')).toBeNull();
  });

  test('of decisions that differ says so in red, and which was the first', async () => {
    const differing = [{ symbol: 'BTC/USDT', candle_time: `${certifiedDay}T14:05:00.000Z` }];
    const decisions = { recorded: 96, same: 95, failed: 0, of_data: 0, differing };
    const trades = [
      aCertifiedTrade({ made: null, difference: '-7.92', parts: { decision: '-7.92' }, why: 'the decision differs on the same candles' }),
    ];
    await open((net) => net.on('botCertificate', aCertificate({ differing: 1 }, { decisions, trades })));
    await says('A decision differs on the same candles');
    await says(/The first is of BTC\/USDT at 14:05/u);
    expect(rows()[1]?.slice(4)).toEqual([
      'none',
      '-$7.92',
      'decision differed -$7.92: the decision differs on the same candles',
      'decision differs',
    ]);
  });
});

describe('a day without a certificate', () => {
  test.each([
    ['The day is not over yet', false],
    ['The bot did not run on this day', false],
    [null, true],
  ])('says why (%s), and can be replayed where it ran', async (why, canReplay) => {
    await open((net) => net.on('botCertificate', noCertificate({ why, can_replay: canReplay })));
    await says(why ?? 'This day has no certificate yet');
    expect(button('Replay This Day').elements().length).toBe(canReplay ? 1 : 0);
  });

  test('is replayed at a press, and its certificate comes by itself', async () => {
    let answer = noCertificate();
    await open((net) => net.on('botCertificate', () => answer).on('replayDay', { state: 'waiting' }));
    await expect.element(button('Replay This Day')).toBeVisible();
    answer = noCertificate({ state: 'replaying', can_replay: false });
    await button('Replay This Day').click();
    await says('The day is being replayed');
    answer = aCertificate();
    await says('94.0% of the backtest’s promise reached the account');
    expect(network.of('botCertificates').length).toBe(2); // the line has a point more
  });

  test('that cannot be replayed says why, and keeps what an earlier replay has found', async () => {
    const why =
      'The strategy is in Python. There is no Python here: install Python 3.11 or later, or name one with --python or FLOTILLA_PYTHON.';
    await open((net) => net.on('botCertificate', noCertificate({ state: 'failed', why })));
    await says(`${certifiedDay} was not replayed`);
    await says(why);
    await expect.element(button('Try Again')).toBeEnabled();
    network.on('botCertificate', aCertificate({ state: 'failed', why }));
    network.on('replayDay', problem(409, 'The day is being replayed already'));
    await button('Try Again').click();
    await says(/The day is being replayed already/u);
    await says(why);
  });
});

describe('what was asked of a day while another one is chosen', () => {
  test('a PDF keeps the name of its day', async () => {
    const file = Promise.withResolvers<string>();
    await open((net) => net.on('certificatePdf', () => file.promise));
    const saved: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(this.download);
    });
    const link = page.getByRole('link', { name: 'Download PDF' });
    await link.click();
    await expect
      .poll(() => network.of('certificatePdf').map(({ path }) => path))
      .toEqual([`/bots/${mine.id}/certificates/${certifiedDay}/pdf`]);
    await button('Previous day').click();
    await expect.poll(() => network.of('botCertificate').at(-1)?.path).toBe(`/bots/${mine.id}/certificates/2026-11-19`);
    await expect.element(page.getByLabelText('Date', { exact: true })).toHaveValue('2026-11-19');
    file.resolve('the file');
    await expect.poll(() => saved).toEqual([`certificate_${certifiedDay}.pdf`]);
  });

  test('the other day is not said to be replayed', async () => {
    const begun = Promise.withResolvers<{ state: 'waiting' }>();
    await open((net) =>
      net.on('botCertificate', ({ path }) => noCertificate({ day: path.split('/').at(-1) ?? '' })).on('replayDay', () => begun.promise),
    );
    await button('Replay This Day').click();
    await says('The day is being replayed');
    await button('Previous day').click();
    await says('This day has no certificate yet');
    await expect.element(button('Replay This Day')).toBeEnabled();
    begun.resolve({ state: 'waiting' });
  });
});

describe('choices', () => {
  test('traders see their own bots, admins all; the newest day with a certificate comes first', async () => {
    await open(undefined, { search: '?tab=reports&view=certificates' });
    await expect.element(page.getByLabelText('Date', { exact: true })).toHaveValue(certifiedDay);
    await expect.element(page.getByRole('combobox', { name: 'Bot' })).toHaveValue('Momentum Desk');
    await button('Previous day').click();
    await expect.poll(() => network.of('botCertificate').at(-1)?.path).toBe(`/bots/${mine.id}/certificates/2026-11-19`);
    expect(new URLSearchParams(window.location.search).get('day') ?? '2026-11-19').toBe('2026-11-19');
    await cleanup();
    network.stop();
    await open(undefined, { search: `?tab=reports&view=certificates&bot=${theirs.id}`, as: aUser('admin') });
    await expect.element(page.getByRole('combobox', { name: 'Bot' })).toHaveValue('Of Another');
  });

  test('all days of the bot are listed with what became of them; one is shown by a click', async () => {
    const { certificates } = someCertificates(3);
    const [first, second, third] = certificates;
    const days = [
      { ...first, differing: 2 },
      { ...second, promised: '-5.6', made: '-5.6', share: null },
      { ...third, state: 'failed' as const, why: 'The strategy is in Python.', promised: null, made: null, share: null },
    ];
    await open((net) => net.on('botCertificates', { certificates: days }));
    const list = page.getByRole('table', { name: 'Days' });
    await expect.poll(() => list.getByRole('row').elements().length).toBe(4);
    expect(
      list
        .getByRole('row')
        .elements()
        .slice(1)
        .map((row) => [...row.children].map((cell) => cell.textContent)),
    ).toEqual([
      ['2026-11-20', '+$12.02', '+$11.30', '-$0.72', '80.0%', '2 decisions differ'],
      ['2026-11-19', '-$5.60', '-$5.60', '+$0.00', '–', 'equal'],
      ['2026-11-18', '–', '–', '–', '–', 'not replayed'],
    ]);
    await list.getByRole('button', { name: '2026-11-19' }).click();
    await expect.poll(() => network.of('botCertificate').at(-1)?.path).toBe(`/bots/${mine.id}/certificates/2026-11-19`);
  });

  test('the newest of each bot are listed; without a choice one that has a certificate is shown, another by a click', async () => {
    const live = aBot(3, { nickname: 'Live Today', user_id: user.userId, mode: 'live' });
    await open((net) => net.on('listBots', [live, mine]), { search: '?tab=reports&view=certificates' });
    await expect.element(page.getByRole('combobox', { name: 'Bot' })).toHaveValue('Momentum Desk');
    network.on('newestCertificates', newestCertificates([live, mine]));
    await cleanup();
    network.stop();
    await open((net) => net.on('listBots', [live, mine]).on('newestCertificates', newestCertificates([live, mine])));
    const list = page.getByRole('table', { name: 'Newest of each bot' });
    await list.getByRole('button', { name: 'Live Today' }).click();
    await expect.element(page.getByRole('combobox', { name: 'Bot' })).toHaveValue('Live Today');
    await cleanup();
    network.stop();
    await open((net) => net.on('listBots', [live, mine]).on('newestCertificates', problem(500, 'Something went wrong. Please try again.')));
    await says('Failed to load the newest certificates');
    network.on('newestCertificates', { certificates: [] });
    await page.getByRole('button', { name: 'Retry' }).first().click();
    await says('No bot has a certificate yet');
  });

  test('what comes in the night is listed by itself, and changes neither the bot nor the day under who reads', async () => {
    const live = aBot(3, { nickname: 'Live Today', user_id: user.userId, mode: 'live' });
    holdBeats();
    await open((net) => net.on('listBots', [live, mine]).on('botCertificates', dayLater(1, -1)), {
      search: '?tab=reports&view=certificates',
    });
    const [bot, day] = [page.getByRole('combobox', { name: 'Bot' }), page.getByLabelText('Date', { exact: true })];
    await expect.element(bot).toHaveValue(mine.nickname);
    await expect.element(day).toHaveValue('2026-11-19');
    const list = page.getByRole('table', { name: 'Newest of each bot' });
    const days = page.getByRole('table', { name: 'Days' });
    await expect.element(days.getByRole('button', { name: '2026-11-19' })).toBeVisible();
    expect(list.getByRole('button', { name: live.nickname }).elements()).toEqual([]);
    network.on('newestCertificates', newestCertificates([live, mine])).on('botCertificates', dayLater(2, 0));
    await aMinute();
    await expect.element(list.getByRole('button', { name: live.nickname })).toBeVisible();
    await expect.element(days.getByRole('button', { name: '2026-11-20' })).toBeVisible();
    await expect.element(bot).toHaveValue(mine.nickname);
    await expect.element(day).toHaveValue('2026-11-19');
    // What fails to load again keeps what is there.
    for (const call of ['newestCertificates', 'botCertificates', 'botCertificate'] as const) network.on(call, noAnswer);
    await aMinute();
    await expect.element(list.getByRole('button', { name: live.nickname })).toBeVisible();
    await expect.element(days.getByRole('button', { name: '2026-11-20' })).toBeVisible();
    expect(page.getByRole('button', { name: 'Retry' }).elements()).toEqual([]);
  });

  test('a day that is open gets its certificate by itself, and the lists have it with it', async () => {
    holdBeats();
    await open((net) => net.on('botCertificate', noCertificate()).on('botCertificates', { certificates: [] }));
    await says('This day has no certificate yet');
    await says('No certificate yet');
    let isMade = false; // after the list of this minute was asked for
    network.on('botCertificates', () => (isMade ? someCertificates(1) : { certificates: [] }));
    network.on('botCertificate', () => ((isMade = true), aCertificate()));
    await pass(60_000);
    await says('94.0% of the backtest’s promise reached the account');
    await expect.element(page.getByRole('table', { name: 'Days' }).getByRole('button', { name: certifiedDay })).toBeVisible();
  });

  test('who has no bot is shown that, and an investor has no such view', async () => {
    await open((net) => net.on('listBots', [theirs]));
    await says('You have no bot yet');
    await cleanup();
    network.stop();
    await open((net) => net.on('report', problem(404, 'No report data available for the date.')), { as: aUser('investor') });
    await expect.element(page.getByRole('tab', { name: 'Daily Report' })).toBeVisible();
    expect(page.getByRole('tab', { name: 'Certificates' }).elements()).toEqual([]);
  });

  test('what fails to load says so and is tried again', async () => {
    await open((net) => net.on('botCertificate', noAnswer).on('botCertificates', noAnswer));
    await says('Failed to load the certificate');
    network.on('botCertificate', aCertificate());
    await page.getByRole('button', { name: 'Retry' }).first().click();
    await says('94.0% of the backtest’s promise reached the account');
  });
});
