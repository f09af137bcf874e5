"""The controller: starts workers, drives rounds, stores what comes back."""
