import { IconArrowBackUp } from '@tabler/icons-react';

/** See `SetBack`. */
export interface SetBackProps {
  what: string; // e.g. 'role of a@b.cd'
  to: string; // the value that is stored
  disabled: boolean;
  onClick: () => void;
}

/** 'was trader' beside a changed value: says what is stored, and sets it back. */
export function SetBack({ what, to, disabled, onClick }: SetBackProps) {
  return (
    <button
      type="button"
      className="user-was"
      title="Set back"
      disabled={disabled}
      aria-label={`was ${to}: set the ${what} back`}
      onClick={onClick}
    >
      <IconArrowBackUp size={12} aria-hidden />
      was {to}
    </button>
  );
}
