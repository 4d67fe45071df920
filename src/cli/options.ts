import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CommandError, HelpRequested } from './command-error.ts';

/** An option of a command: what follows it (nothing, one value, or several), and its sentence in the help. */
export interface CommandOption {
  values: 'none' | 'one' | 'several';
  short?: string; // one letter that names it too
  placeholder?: string; // of the value in the help, e.g. DIR
  help: string;
}

/** What a command is called, does and accepts, as its help prints it. */
export interface CommandDescription<Options extends Record<string, CommandOption>> {
  name: string;
  summary: string;
  argument?: { name: string; help: string }; // what the command is given without an option name
  options: Options;
  examples?: readonly string[];
}

/** The values of the options that were given; the others are left out. */
export type OptionValues<Options extends Record<string, CommandOption>> = {
  [Name in keyof Options]?: Options[Name]['values'] extends 'none' ? true : Options[Name]['values'] extends 'one' ? string : string[];
};

/** The exit codes of every command, as its help prints them. */
export const exitCodesText = 'Exit codes: 0 done; 1 failed, or the answer is no; 2 wrong usage; 130 interrupted.';

/**
 * The values of a command line: `--name value`, `--name=value`, `--name a b c`, `--name a,b,c`, and one argument.
 *
 * Fails: CommandError for anything unknown, missing or given twice; HelpRequested for --help
 */
export function readOptions<Description extends CommandDescription<Record<string, CommandOption>>>(
  words: readonly string[],
  description: Description,
): OptionValues<Description['options']> & (Description extends { argument: object } ? { argument: string } : object) {
  const command = new Command(`flotilla ${description.name}`).description(description.summary).usage(usageOf(description));
  for (const [name, option] of Object.entries(description.options)) command.addOption(toCommanderOption(name, option));
  command.helpOption('-h, --help', 'print this and do nothing');
  const { argument, examples = [] } = description;
  if (argument !== undefined) command.addArgument(new Argument(`<${argument.name}>`, argument.help));
  command.addHelpText('after', `\n${[...examples.map((example) => `  ${example}`), exitCodesText].join('\n')}`);
  parse(command, words);
  const given = command.opts<Record<string, true | string | string[]>>();
  // The library names options in camel case.
  const values = Object.keys(description.options).flatMap((name) => {
    const value = given[name.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase())];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(values), ...(argument === undefined ? {} : { argument: command.args[0] }) } as never;
}

/** Lets the library parse; what it would print, and the end of the process it would cause, become errors of ours. */
function parse(command: Command, words: readonly string[]): void {
  let help = '';
  command.exitOverride().configureOutput({ writeOut: (text) => (help += text), writeErr: () => {} });
  try {
    command.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) throw new HelpRequested(help.trimEnd());
    const fault = error.message.replace(/^error: /u, '').replace('\n', ' ');
    throw new CommandError(`${fault.charAt(0).toUpperCase()}${fault.slice(1)}${/[.)]$/u.test(fault) ? '' : '.'}`);
  }
}

function usageOf({ argument, options }: CommandDescription<Record<string, CommandOption>>): string {
  return [...(argument === undefined ? [] : [argument.name]), ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ');
}

function toCommanderOption(name: string, { values, short, placeholder = 'VALUE', help }: CommandOption): Option {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const flags = { none: names, one: `${names} <${placeholder}>`, several: `${names} <${placeholder}...>` }[values];
  const option = new Option(flags, help);
  if (values === 'one')
    option.argParser((value: string, before: string | undefined) => {
      if (before !== undefined) throw new InvalidArgumentError('It is given twice.');
      return requireValue(value);
    });
  if (values === 'several')
    option.argParser((value: string, before: string[] | undefined) => [
      ...(before ?? []),
      ...requireValue(value)
        .split(',')
        .filter((item) => item !== ''),
    ]);
  return option;
}

/** The library takes the next option for a value; a forgotten value must not swallow it. */
function requireValue(value: string): string {
  if (value === '' || value.startsWith('--')) throw new InvalidArgumentError('It needs a value.');
  return value;
}
