import { CommandError } from './command-error.ts';

/** What may follow an option: nothing, one word, or words up to the next option. */
export type OptionKind = 'flag' | 'word' | 'words';

/** The values of the given options; those that were not given are left out. */
export type OptionValues<Options extends Record<string, OptionKind>> = {
  [Name in keyof Options]?: Options[Name] extends 'flag' ? true : Options[Name] extends 'word' ? string : string[];
};

/**
 * Reads `--name value`, `--name=value`, `--name a b c` and `--name a,b,c`.
 *
 * Fails: CommandError with everything that is wrong
 */
export function readOptions<Options extends Record<string, OptionKind>>(words: readonly string[], options: Options): OptionValues<Options> {
  const values: Record<string, true | string | string[]> = {};
  const faults: string[] = [];
  for (let i = 0; i < words.length;) {
    const word = words[i++]!;
    const [, name = '', joined] = /^--([^=]+)(?:=(.*))?$/su.exec(word) ?? [];
    const kind = Object.hasOwn(options, name) ? options[name] : undefined;
    const given = joined === undefined ? [] : [joined];
    if (joined === undefined)
      while (i < words.length && !words[i]!.startsWith('--') && accepts(kind, given.length)) given.push(words[i++]!);
    if (kind === undefined) {
      const known = Object.keys(options).map((option) => `--${option}`);
      faults.push(`"${word}" is not known here; there are ${known.join(', ')}.`);
    } else if (Object.hasOwn(values, name)) faults.push(`--${name} is given twice.`);
    else if (kind === 'flag' && given.length > 0) faults.push(`--${name} takes no value.`);
    else if (kind === 'flag') values[name] = true;
    else if (given.length === 0 || given[0] === '') faults.push(`--${name} needs a value.`);
    else values[name] = kind === 'word' ? given[0]! : given.flatMap((part) => part.split(',')).filter((part) => part !== '');
  }
  if (faults.length > 0) throw new CommandError(faults);
  return values as OptionValues<Options>;
}

/** Words after an unknown option are passed over with it, so that it is told once. */
function accepts(kind: OptionKind | undefined, count: number): boolean {
  return kind === 'words' || kind === undefined || (kind === 'word' && count === 0);
}
