import { Switch as MantineSwitch } from '@mantine/core';

/** See `Switch`. */
export interface SwitchProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  size?: 'small' | 'medium' | 'large';
  disabled?: boolean;
  reason?: string | undefined; // why it is disabled
}

const sizes = { small: 'xs', medium: 'sm', large: 'lg' } as const;

/** An on/off switch with its label. */
export function Switch({ label, checked, onChange, size = 'medium', disabled = false, reason }: SwitchProps) {
  return (
    <MantineSwitch
      label={label}
      checked={checked}
      disabled={disabled}
      size={sizes[size]}
      data-size-name={size}
      withThumbIndicator={false}
      {...(reason === undefined ? {} : { wrapperProps: { title: reason }, 'aria-description': reason })}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
