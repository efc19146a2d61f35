#Requires -Version 7.2

<#
.SYNOPSIS
    Copies the nightly dumps to the archive and thins out the old ones.
#>
[CmdletBinding(SupportsShouldProcess)]
param(
    [Parameter(Mandatory)]
    [string] $Source,

    [Parameter(Mandatory)]
    [string] $Archive,

    [ValidateRange(1, 3650)]
    [int] $KeepDays = 60
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

function Write-Step {
    param([string] $Message)
    Write-Host "[$(Get-Date -Format s)] $Message"
}

function Copy-Dump {
    param([System.IO.FileInfo] $Dump)

    $target = Join-Path $Archive $Dump.Name
    if (Test-Path $target) {
        Write-Step "skip $($Dump.Name)"
        return
    }
    Copy-Item $Dump.FullName $target
    if ((Get-FileHash $target).Hash -ne (Get-FileHash $Dump.FullName).Hash) {
        Remove-Item $target
        throw "checksum of $($Dump.Name) differs"
    }
    Write-Step "copied $($Dump.Name)"
}

function Remove-OldDump {
    param([int] $Days)

    $limit = (Get-Date).AddDays(-$Days)
    Get-ChildItem $Archive -Filter *.dump |
        Where-Object LastWriteTime -lt $limit |
        ForEach-Object {
            if ($PSCmdlet.ShouldProcess($_.Name, 'remove')) {
                Remove-Item $_.FullName
                Write-Step "removed $($_.Name)"
            }
        }
}

Write-Step 'start'
foreach ($dump in Get-ChildItem $Source -Filter *.dump) {
    Copy-Dump $dump
}
Remove-OldDump -Days $KeepDays
Write-Step 'done'
