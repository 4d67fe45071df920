import { IconShieldOff } from '@tabler/icons-react';

/** Says in red that a trade, or so many of a bot, have no stop at the exchange; with `title` in other words, or why. */
export function NoStopMark({ text = 'no stop', title = 'No stop at the exchange' }: { text?: string; title?: string }) {
  return (
    <span className="fl-no-stop" title={title}>
      <IconShieldOff size={13} aria-hidden />
      {text}
    </span>
  );
}
