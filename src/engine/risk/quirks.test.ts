import { describe, expect, test } from 'vitest';
import type { QuirkName } from './quirks.ts';
import { parityQuirks, quirkTable, switchableQuirks, whyFixed, withoutQuirks } from './quirks.ts';

describe('quirks', () => {
  test('parity has all but the one that would only end the run', () => {
    const off = Object.entries(parityQuirks).flatMap(([name, isOn]) => (isOn ? [] : [name]));
    expect(off).toEqual(['stakeAboveTiersEndsTheRun']);
  });
  test('can be switched off singly, and leave the others on', () => {
    expect(withoutQuirks([])).toEqual(parityQuirks);
    for (const name of switchableQuirks) expect(withoutQuirks([name])).toEqual({ ...parityQuirks, [name]: false });
  });
  test('two cannot be switched off, and say why', () => {
    const fixed = (Object.keys(quirkTable) as QuirkName[]).filter((name) => !switchableQuirks.includes(name));
    expect(fixed).toEqual(['touchedStopDoesNotMove', 'stakeAboveTiersEndsTheRun']);
    expect(whyFixed('touchedStopDoesNotMove')).toMatch(/^Q10 cannot be switched off: a candle does not show .*\.$/v);
    expect(whyFixed('stakeAboveTiersEndsTheRun')).toMatch(/^Q29 is off in every run: a run that ends .*\.$/v);
    expect(whyFixed('highMovesStopBeforeLow')).toBe(null);
    for (const name of fixed) expect(() => withoutQuirks([name])).toThrow(whyFixed(name) ?? 'nothing');
  });
  test('a name that is not one is refused', () => {
    expect(() => withoutQuirks(['toString' as QuirkName])).toThrow('There is no quirk toString.');
  });
});
