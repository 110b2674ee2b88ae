package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"pflow/internal/schedule"
)

func (a *app) scheduleExportCommand() *cobra.Command {
	var all, systemd, crontab, launchd bool
	c := &cobra.Command{
		Use:   "export NAME|--all --systemd|--crontab|--launchd",
		Short: "Write schedules for systemd, cron or launchd",
		Long: `Write schedules for systemd (user units), cron or launchd, which then call pflow schedule run instead of pflow serve. What such a
program has no way to say, such as a watched folder, is an error that says what. Secrets are not written: whoever calls pflow needs
them in its environment.`,
		Example:           "  pflow schedule export report --systemd\n  pflow schedule export --all --crontab",
		Args:              func(c *cobra.Command, args []string) error { return tooMany(c, args, 1) },
		ValidArgsFunction: a.completeSchedules,
		RunE: func(_ *cobra.Command, args []string) error {
			kinds := 0
			for _, k := range []bool{systemd, crontab, launchd} {
				if k {
					kinds++
				}
			}
			switch {
			case kinds != 1:
				return usage("say for which program: --systemd, --crontab or --launchd")
			case all == (len(args) == 1):
				return usage("name a schedule, or --all for each")
			}
			if err := a.needsHome(); err != nil {
				return err
			}
			names := args
			if all {
				names = a.schedules().Names()
			}
			var list []*schedule.Schedule
			for _, name := range names {
				s, _, err := a.findSchedule(name)
				if err != nil {
					return err
				}
				list = append(list, s)
			}
			if len(list) == 0 {
				return usage("there are no schedules")
			}
			program, err := os.Executable()
			if err != nil {
				return fail(exitFailed, "this program is not found: %v", err)
			}
			return a.exportSchedules(schedule.Command{Program: program, Home: a.homeDir()}, list, systemd, crontab)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "every schedule")
	c.Flags().BoolVar(&systemd, "systemd", false, "a service and a timer, as they lie in ~/.config/systemd/user")
	c.Flags().BoolVar(&crontab, "crontab", false, "lines of a crontab")
	c.Flags().BoolVar(&launchd, "launchd", false, "a property list, as it lies in ~/Library/LaunchAgents")
	return c
}

func (a *app) exportSchedules(by schedule.Command, list []*schedule.Schedule, systemd, crontab bool) error {
	text := ""
	if crontab {
		var err error
		if text, err = by.Crontab(list); err != nil {
			return usage("%v", err)
		}
		list = nil
	}
	for _, s := range list {
		one, err := by.Launchd(s)
		if systemd {
			one, err = by.Systemd(s)
		}
		if err != nil {
			return usage("%s: %v", s.Name, err)
		}
		text += one
	}
	_, err := io.WriteString(a.results, text)
	return err
}
