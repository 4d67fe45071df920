import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { patienceMs } from '../../../test/support/patience.ts';
import { wallsOfSystem } from '../child-command.ts';
import { NotAsked } from '../not-asked.ts';
import { ProcessEnded } from '../process-ended.ts';
import { StrategyError } from '../strategy-error.ts';
import { StrategyProcess } from '../strategy-process.ts';
import { parentCommand } from './python-command.ts';
import { PythonStrategy } from './python-strategy.ts';
import { connectCopy } from './started-process.ts';
import { classText } from './testing/class-text.ts';
import { needsPython, testPython } from './testing/test-python.ts';
import { WarmParent } from './warm-parent.ts';

const config = { runmode: 'dry_run', stake_currency: 'USDT', trading_mode: 'spot', timeframe: '5m' };
const load = { exportName: null, config, pairs: ['BTC/USDT'], markets: {} };
const methods = `def bot_loop_start(self, current_time, **words):
    import os
    while current_time.timestamp() == 1: pass
    if current_time.timestamp() == 2: os._exit(7)`;

/** A parent that can be made to hang in what it loads, and continues when it is asked to. */
function aParent() {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-hanging-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [begun, goOn] = [join(folder, 'begun'), join(folder, 'go-on')];
  const hangs = `import os, time\nopen(${JSON.stringify(begun)}, "w").close()\nwhile not os.path.exists(${JSON.stringify(goOn)}): time.sleep(0.02)\n`;
  writeFileSync(join(folder, 'hangs.py'), hangs);
  const command = parentCommand(testPython ?? '', wallsOfSystem());
  const parent = new WarmParent({ ...command, environment: { ...command.environment, PYTHONPATH: folder } });
  onTestFinished(() => parent.end());
  /** A process for a class, and what comes of loading it. */
  const copy = (name: string, head = '') => {
    const { folder: texts, connect } = parent.copy({ [`${name}.py`]: classText(name, { head, methods }) });
    const process = new StrategyProcess(connect);
    const loaded = process.ask('load', { ...load, source: { folder: texts, file: `${name}.py` } }, patienceMs);
    loaded.catch(() => undefined); // one that is never made
    return { process, loaded };
  };
  const hang = async () => {
    const waits = copy('Waits', 'import hangs');
    await expect.poll(() => existsSync(begun)).toBe(true);
    return waits;
  };
  return { folder, parent, copy, hang, goOn: () => writeFileSync(goOn, '') };
}

/** Asks what hangs with 1, ends the process with 2, and is answered with 3, in s. */
const ask = (process: StrategyProcess, seconds: number, deadlineMs = patienceMs, exportName = 'Lives') =>
  process.ask('callback', { exportName, callback: 'loopStart', question: seconds * 1_000 }, deadlineMs);

describe.skipIf(testPython === null)(needsPython('while a parent hangs in what the class of somebody else imports'), () => {
  test('a copy that is late or dies has ended, what was asked has failed, and what the parent says of it later does no harm', async () => {
    const { parent, copy, hang, goOn } = aParent();
    const [late, dying, living] = [copy('Late'), copy('Dying'), copy('Lives')];
    await Promise.all([late.loaded, dying.loaded, living.loaded]);
    const waits = await hang();

    const hung = ask(late.process, 1, 100, 'Late').catch((error: unknown) => error);
    const behind = ask(late.process, 3, patienceMs, 'Late').catch((error: unknown) => error);
    const died = ask(dying.process, 2, patienceMs, 'Dying').catch((error: unknown) => error);
    expect(await hung).toEqual(new ProcessEnded('The strategy gave no answer for 0.1 s; its process was ended.'));
    expect(await behind).toBeInstanceOf(NotAsked);
    expect(await died).toEqual(new ProcessEnded('The strategy’s process has ended by itself.'));
    expect(dying.process.isOver).toBe(true);
    await Promise.all([late.process.end(), dying.process.end()]);

    expect(await ask(living.process, 3)).toMatchObject({ answer: { value: null } });
    expect(parent.size).toBe(2); // the one that lives, and the one that waits to be made
    goOn();
    await waits.loaded;
    expect(await ask(living.process, 3)).toMatchObject({ answer: { value: null } });
    expect(parent.size).toBe(2);
    await Promise.all([living.process.end(), waits.process.end()]);
    expect(parent.size).toBe(0);
  });

  test('a backtest ends with its copy, also where that has died', async () => {
    const { folder, parent, hang } = aParent();
    writeFileSync(join(folder, 'Lives.py'), classText('Lives', { methods }));
    const begin = async () => {
      const copy = parent.waited([], 0);
      const started = await connectCopy(await copy.made, copy.ended);
      return { copy, strategy: await PythonStrategy.load(started, { ...load, source: { folder, file: 'Lives.py' } }) };
    };
    const [ended, dead] = [await begin(), await begin()];
    await hang();
    const ending = ended.strategy.end();
    const failed = (): unknown => dead.strategy.callbacks().loopStart?.(2_000);
    const error = await Promise.resolve()
      .then(failed)
      .catch((thrown: unknown) => dead.strategy.explained(thrown));
    expect(error).toEqual(new StrategyError('The strategy’s process has ended by itself.'));
    await Promise.all([ending, dead.strategy.end()]);
    for (const { copy } of [ended, dead]) copy.kill();
    await Promise.all([ended.copy.ended, dead.copy.ended]);
    expect(parent.size).toBe(1); // the one that waits to be made
  });
});
