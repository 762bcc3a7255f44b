"""Training: the tiny policy, the control task, the laptop run and the launch on a GPU."""
