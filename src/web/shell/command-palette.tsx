import { IconSearch } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { useEffect, useId, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { isTopToStay } from '../ui/open-windows.ts';
import type { Command } from './command-list.ts';
import { foundCommands } from './command-list.ts';
import { useCommands } from './use-commands.ts';

/** See `CommandPalette`. */
export interface CommandPaletteProps {
  screens: readonly { value: string; label: string }[];
  firstScreen: string;
}

/** Goes to a screen, a bot or a pair, or does something, from the keyboard: Ctrl-K (or Command-K) opens it. */
export function CommandPalette({ screens, firstScreen }: CommandPaletteProps) {
  const [isOpen, setOpen] = useState(false);
  const commands = useCommands(screens, firstScreen, isOpen);
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault(); // some browsers would open their own search
      if (!isTopToStay()) setOpen((open) => !open); // what is not shown again would be left behind
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return (
    <Dialog
      opened={isOpen}
      onClose={() => setOpen(false)}
      withCloseButton={false}
      size="md"
      padding={0}
      yOffset="12vh"
      title="Go to"
      classNames={{ content: 'fl-dialog shell-palette', header: 'fl-visually-hidden' }}
    >
      <Palette commands={commands} onDone={() => setOpen(false)} />
    </Dialog>
  );
}

function Palette({ commands, onDone }: { commands: readonly Command[]; onDone: () => void }) {
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const listId = useId();
  const found = foundCommands(commands, text);
  const chosen = found[Math.min(place, found.length - 1)];
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onDone();
    command.run();
  };
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key === 'Enter') run(chosen);
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    setPlace((Math.min(place, found.length - 1) + step + found.length) % found.length);
  };
  return (
    <>
      <div className="shell-palette-entry">
        <IconSearch size={16} aria-hidden />
        <input
          type="text"
          role="combobox"
          aria-label="Go to a screen, bot or pair"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={chosen === undefined ? undefined : `${listId} ${chosen.id}`}
          placeholder="Go to a screen, bot or pair..."
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={text}
          onKeyDown={move}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setPlace(0);
          }}
        />
      </div>
      <ul id={listId} role="listbox" aria-label="Found" className="shell-palette-list">
        {found.map((command) => (
          <li
            key={command.id}
            id={`${listId} ${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onPointerMove={() => setPlace(found.indexOf(command))}
            onClick={() => run(command)}
          >
            <span>{command.label}</span>
            <span className="shell-palette-hint">{command.hint ?? command.group}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 ? (
        <p className="shell-palette-none" role="status">
          Nothing found
        </p>
      ) : null}
    </>
  );
}
